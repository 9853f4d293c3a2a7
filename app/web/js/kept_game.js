// The game as it stands in the browser's storage: what an older page, another program or a damaged disk left there is looked at before anything uses it.
const isText = (value) => typeof value === "string";
const isTextOrNull = (value) => value === null || isText(value);
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (isEntry) => (value) => Array.isArray(value) && value.every(isEntry);
const isPit = (value) => Number.isInteger(value) && value >= 0 && value < 14;
const isSeat = (value) => value === "you" || value === "engine";

const isSweep = (value) => isRecord(value) && isPit(value.sweep) && Number.isInteger(value.seeds) && ["S", "N", "both"].includes(value.to);
const isSettled = (value) => isRecord(value) && isListOf(Number.isFinite)(value.stores) && value.stores.length === 2 && ["S", "N", null].includes(value.winner) && isListOf(isSweep)(value.sweeps)
  && isTextOrNull(value.ended ?? null);
const isNote = (value) => isRecord(value) && Number.isInteger(value.ply) && [value.annotation, value.comment, value.variations].every(isText);

const kChecks = {
  rules: isText,
  start: isTextOrNull,
  moves: isText,
  players: (value) => isRecord(value) && isSeat(value.S) && isSeat(value.N),
  strength: isTextOrNull,
  agreed: (value) => value === null || isSettled(value),
  quietUntil: Number.isFinite,
  tags: (value) => isRecord(value) && Object.values(value).every(isText),
  record: (value) => isRecord(value) && isTextOrNull(value.ended) && isTextOrNull(value.result) && isText(value.comment) && isListOf(isNote)(value.notes),
  paused: (value) => typeof value === "boolean",
};
const kGame = ["rules", "start", "moves"];  // without these it is another game

// What a file says of a game beside its moves: how a program ended it, and texts (docs/web-api.md, /api/ogn/read). It is saved again with the game.
const kNoRecord = { ended: null, result: null, comment: "", notes: [] };

export const kNewGame = { rules: "abapa", start: null, moves: "", players: { S: "you", N: "engine" }, strength: null, agreed: null, quietUntil: 0, tags: {}, record: kNoRecord };

export const recordOf = ({ ended, result, comment, notes }) => ({ ended: ended ?? null, result: result ?? null, comment: comment ?? "", notes: notes ?? [] });

// What still holds of it where the game goes on from so many plies.
export const recordUpTo = (record, plies) => ({ ...record, ended: null, result: null, notes: record.notes.filter(({ ply }) => ply <= plies) });

// What is sound of `value`; null where that is no game.
export function keptGame(value) {
  if (!isRecord(value)) return null;
  const sound = (key) => key in value && kChecks[key](value[key]);
  if (kGame.some((key) => key in value && !sound(key))) return null;
  return Object.fromEntries(Object.keys(kChecks).filter(sound).map((key) => [key, value[key]]));
}
