// Positions and moves as text (docs/rules.md). Pits 0..5 are South's A..F, 6..11 North's a..f; stores 12 (South) and 13 (North).
export const kSouthStore = 12;
export const kNorthStore = 13;
const kLetters = "ABCDEFabcdef";

export const pitLetter = (pit) => kLetters[pit];
export const pitOf = (move) => kLetters.indexOf(move[0]);
export const ownerOf = (pit) => (pit < 6 ? "S" : "N");
export const storeOf = (side) => (side === "S" ? kSouthStore : kNorthStore);
export const sideName = (side) => (side === "S" ? "South" : "North");
export const other = (side) => (side === "S" ? "N" : "S");
export const splitLine = (line) => line.match(/[A-Fa-f]-?/g) ?? [];

// -> {counts: [14], mover}
export function parsePosition(text) {
  const parts = text.split("-");
  return { counts: parts.slice(0, 14).map(Number), mover: parts[14] };
}

export function startPosition(seedsPerPit) {
  return `${Array(12).fill(seedsPerPit).join("-")}-0-0-S`;
}

export const rowOf = (counts, side) => counts.slice(side === "S" ? 0 : 6, side === "S" ? 6 : 12).reduce((sum, count) => sum + count, 0);

// The value of one option of `preset,key=value,...`, given the server's list of presets; null where the rule set is not known here.
export function ruleOption(rules, key, presets) {
  const [name, ...changes] = rules.split(",");
  for (const change of changes) {
    const [changed, value] = change.split("=");
    if (changed === key) return value;
  }
  const preset = presets?.find((entry) => entry.name === name);
  return preset ? key.split(".").reduce((part, word) => part?.[word], preset.options) ?? null : null;
}
