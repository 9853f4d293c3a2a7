// What the page says about a game, in one place: the same words are shown and spoken.
import { number, seeds } from "./dom.js";
import { other, ownerOf, pitLetter, pitOf, sideName } from "./notation.js";

const kEnds = {
  majority: (winner) => `${sideName(winner)} holds more than half of all seeds.`,
  no_move: () => "No move is left; each side took the seeds in its own row.",
  slam: () => "A grand slam ended the game.",
  slam_rest: () => "A grand slam ended the game; the rest went to the opponent.",
  quiet: () => "Nothing was captured for too long; each side took the seeds in its own row.",
  repetition: () => "The position came back; the seeds on the board were shared out as the rules say.",
  table: () => "The endgame table knew the result.",
  resigned: (winner) => (winner === null ? "A player resigned." : `${sideName(other(winner))} resigned.`),
  limit: () => "It was ended before the rules did, with this result.",
  agreed: () => "Ended by agreement; each side took the seeds in its own row.",
};

export const endReason = (end, winner) => kEnds[end]?.(winner) ?? "";

const score = (value) => number(value, Number.isInteger(value) ? 0 : 1);

export function playerName(game, side) {
  const { S, N } = game.setup.players;
  if (S === N) return sideName(side);
  return game.setup.players[side] === "you" ? "You" : "Engine";
}

export function resultLine(game) {
  const { south, north, winner } = game.result;
  const stores = winner === "N" ? `${score(north)} : ${score(south)}` : `${score(south)} : ${score(north)}`;
  if (winner === null) return `A draw, ${stores}`;
  const name = playerName(game, winner);
  return `${name === "You" ? "You win" : name === "Engine" ? "The engine wins" : `${name} wins`}, ${stores}`;
}

export function statusLine(game) {
  if (!game.state) return game.error ? "" : "Setting up the board";
  if (game.over && game.live) return resultLine(game);
  if (!game.live) return `Looking at move ${game.viewed} of ${game.moves.length}`;
  if (!game.known) return "";
  const side = game.state.mover, again = game.state.plies.at(-1)?.mover === side;
  if (game.setup.players[side] === "engine") return game.paused && !game.played ? "Paused" : `${playerName(game, side) === "Engine" ? "The engine" : sideName(side)} is thinking`;
  const whose = playerName(game, side) === "You" ? "Your move" : `${sideName(side)} to move`;
  return again ? `${whose} again: the slam keeps the turn` : whose;
}

// "Engine played c, captured 3."
export function moveSentence(game, ply) {
  const { move, mover, captured } = ply, name = playerName(game, mover);
  const declined = move.endsWith("-") ? ", capture declined" : "";
  return `${name} played ${move[0]}${captured ? `, captured ${seeds(captured)}` : ""}${declined}.`;
}

// Why a pit that was chosen cannot be played, or null where it can.
export function refusal(game, pit) {
  if (!game.known) return "The board waits for the server.";
  if (game.over) return "The game is over. N begins a new one.";
  if (!game.live) return "This is an earlier position. Go to the last move to play on.";
  const { state } = game;
  if (game.setup.players[state.mover] !== "you") return game.thinking ? "The engine is thinking." : "It is the engine's move.";
  if (state.legal.some((entry) => pitOf(entry.move) === pit)) return null;
  if (ownerOf(pit) !== state.mover) return `Pit ${pitLetter(pit)} belongs to ${sideName(ownerOf(pit))}.`;
  if (state.pits[pit] === 0) return `Pit ${pitLetter(pit)} is empty.`;
  const fed = state.pits.slice(ownerOf(pit) === "S" ? 6 : 0, ownerOf(pit) === "S" ? 12 : 6).some((count) => count > 0);
  return fed ? `Pit ${pitLetter(pit)} is not allowed here by this rule set.` : `Pit ${pitLetter(pit)} would leave the opponent without seeds; they must be fed.`;
}

export { score };
