// The game as it stands in the browser's storage: what an older page, another program or a damaged disk left there is looked at before anything uses it.
const isText = (value) => typeof value === "string";
const isTextOrNull = (value) => value === null || isText(value);
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (isEntry) => (value) => Array.isArray(value) && value.every(isEntry);
const isPit = (value) => Number.isInteger(value) && value >= 0 && value < 14;
const isSeat = (value) => value === "you" || value === "engine";

const isSweep = (value) => isRecord(value) && isPit(value.sweep) && Number.isInteger(value.seeds) && ["S", "N", "both"].includes(value.to);
const isSettled = (value) => isRecord(value) && isListOf(Number.isFinite)(value.stores) && value.stores.length === 2 && ["S", "N", null].includes(value.winner) && isListOf(isSweep)(value.sweeps);

const kChecks = {
  rules: isText,
  start: isTextOrNull,
  moves: isText,
  players: (value) => isRecord(value) && isSeat(value.S) && isSeat(value.N),
  strength: isTextOrNull,
  agreed: (value) => value === null || isSettled(value),
  quietUntil: Number.isFinite,
  tags: (value) => isRecord(value) && Object.values(value).every(isText),
  paused: (value) => typeof value === "boolean",
};
const kGame = ["rules", "start", "moves"];  // without these it is another game

export const kNewGame = { rules: "abapa", start: null, moves: "", players: { S: "you", N: "engine" }, strength: null, agreed: null, quietUntil: 0, tags: {} };

// What is sound of `value`; null where that is no game.
export function keptGame(value) {
  if (!isRecord(value)) return null;
  const sound = (key) => key in value && kChecks[key](value[key]);
  if (kGame.some((key) => key in value && !sound(key))) return null;
  return Object.fromEntries(Object.keys(kChecks).filter(sound).map((key) => [key, value[key]]));
}
