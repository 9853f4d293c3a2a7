// The game that is being played. The server keeps none: this is the whole of it, in the browser's storage after every move.
import { get, post, postPatiently } from "./api.js";
import { keptGame, kNewGame, recordUpTo } from "./kept_game.js";
import { parsePosition, splitLine, startPosition } from "./notation.js";
import { load, save } from "./storage.js";

const kAskAgainAfter = 40;    // plies
const kRetrySeconds = 3;
const kFirstStrength = 2;     // of the list, weakest first: a player who knows the rules has a chance

export class Game extends EventTarget {
  constructor() {
    super();
    const stored = load("game", null);
    this.kept = keptGame(stored);
    this.storedText = JSON.stringify(stored);  // as it was read or written last
    this.setup = { ...kNewGame, ...this.kept };
    this.state = null;      // the server's answer for all moves
    this.viewed = null;     // ply on the board; null: the newest
    this.thinking = false;
    this.paused = Boolean(this.kept?.paused) && !this.played;  // two engines only: nobody waits for a person's move
    this.error = null;
    this.about = null;
    this.presets = null;
    this.generation = 0;    // answers for an older one are dropped
    this.elsewhere = false; // another tab played last: that one asks the engine
    this.queue = Promise.resolve();
    this.controller = null; // of what the server is asked: the game, then the engine's move
    addEventListener("storage", () => this.inTurn(() => this.#takeOver()));
    document.addEventListener("visibilitychange", () => document.hidden || this.inTurn(() => this.#takeOver()));  // a tab that slept may have missed the event
  }

  // What another tab made of the game, where it is not what stands here: the last to play is right.
  #takeOver() {
    const text = JSON.stringify(load("game", null)), kept = keptGame(JSON.parse(text));
    if (!kept || text === this.storedText) return;
    const before = this.setup;
    this.storedText = text;
    this.setup = { ...kNewGame, ...kept };
    const goesOn = before.rules === this.setup.rules && before.start === this.setup.start && (before.moves.startsWith(this.setup.moves) || this.setup.moves.startsWith(before.moves));
    if (!goesOn) this.state = null;
    this.paused = Boolean(kept.paused) && !this.played;
    this.viewed = null;
    this.elsewhere = true;
    this.#tell("taken-over");
    return this.refresh();
  }

  goOnHere() {
    this.elsewhere = false;
    return this.refresh();
  }

  // What requests say of the game, up to the ply that is viewed or to another one.
  request(plies = this.moves.length) {
    return { rules: this.setup.rules, start: this.setup.start, moves: this.moves.slice(0, plies).join("") };
  }

  get moves() {
    return splitLine(this.setup.moves);
  }

  get ply() {
    return this.viewed ?? this.moves.length;
  }

  get live() {
    return this.viewed === null;
  }

  get over() {
    return this.setup.agreed !== null || Boolean(this.known && this.state.over);
  }

  // Whether the server's answer is about the game as it stands, and not about the one before the last move.
  get known() {
    return this.state?.plies.length === this.moves.length;
  }

  // Whether a person plays, and not only looks on.
  get played() {
    return Object.values(this.setup.players).includes("you");
  }

  get yourTurn() {
    return this.known && !this.over && this.setup.players[this.state.mover] === "you";
  }

  get strength() {
    const strengths = this.about?.strengths ?? [];
    return strengths.find((entry) => entry.name === this.setup.strength) ?? strengths[kFirstStrength] ?? strengths[0] ?? null;
  }

  // The side at the lower edge: yours, where only one is.
  get near() {
    const { S, N } = this.setup.players;
    return S !== "you" && N === "you" ? "N" : "S";
  }

  // The position after so many plies.
  positionAt(ply) {
    if (ply > 0) return this.state.plies[ply - 1].after;
    if (this.setup.start) return this.setup.start;
    const { counts } = parsePosition(this.state.position);
    return startPosition(counts.reduce((sum, count) => sum + count, 0) / 12);
  }

  // How the seeds left on the board were shared out at the end: steps, and the counts after them (whole seeds; the result may hold halves).
  get sweeps() {
    return this.over ? (this.setup.agreed ?? this.state).sweeps : [];
  }

  get settledPosition() {
    const parts = this.state.position.split("-"), counts = parts.slice(0, 14).map(Number);
    for (const { sweep, seeds, to } of this.sweeps) {
      const south = to === "both" ? (counts[12] <= counts[13] ? Math.ceil(seeds / 2) : Math.floor(seeds / 2)) : to === "S" ? seeds : 0;
      counts[sweep] -= seeds;
      counts[12] += south;
      counts[13] += seeds - south;
    }
    return [...counts, parts[14]].join("-");
  }

  // One start at a time: whoever asks meanwhile waits for the same.
  connect() {
    this.connecting ??= this.#connect().finally(() => (this.connecting = null));
    return this.connecting;
  }

  async #connect() {
    try {
      [this.about, { presets: this.presets, options: this.options }] = await Promise.all([get("about"), get("rules")]);
      if (!this.kept) this.setup.rules = this.about.rules;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.error = null;
    await this.refresh();
  }

  begin(setup) {
    this.#interrupt();
    this.setup = { ...kNewGame, ...setup };
    this.state = null;
    this.viewed = null;
    this.paused = false;
    this.#store();
    this.#tell("begun");
    return this.refresh();
  }

  // What a person asks for is done one after another: a second click waits for the answer to the first and is judged by it.
  inTurn(task) {
    this.queue = this.queue.then(task).catch((error) => this.#fail(error));
    return this.queue;
  }

  async play(move) {
    const legal = this.live && this.known && !this.over && this.state.legal.find((entry) => entry.move === move);
    if (!legal) return;
    this.#interrupt();
    this.setup.record = recordUpTo(this.setup.record, this.moves.length);
    this.setup.moves += move;
    this.#store();
    this.#tell("played", legal);
    await this.refresh();
  }

  // The engine's first move is not taken back for nothing: it would only be made again.
  get canTakeBack() {
    if (this.setup.agreed !== null || !this.played || !this.known) return this.moves.length > 0;
    return this.state.plies.some(({ mover }) => this.setup.players[mover] === "you");
  }

  // Back to the last position in which you were to move.
  takeBack() {
    if (!this.moves.length || !this.known) return;
    this.#interrupt();
    const { players, agreed } = this.setup, plies = this.state.plies;
    let left = this.moves.length - (agreed === null ? 1 : 0);
    if (this.played) {
      while (left > 0 && players[(plies[left] ?? { mover: this.state.mover }).mover] !== "you") --left;
      // The engine's first move is not taken back for nothing: it would only be made again.
      if (left === 0 && players[plies[0].mover] !== "you") return void this.#engine();
    }
    this.#cut(left);
    this.viewed = null;
    this.paused = !this.played;
    this.#store();
    this.#tell("taken-back");
    return this.refresh();
  }

  #cut(plies) {
    this.setup.moves = this.moves.slice(0, plies).join("");
    this.setup.agreed = null;
    this.setup.record = recordUpTo(this.setup.record, plies);
  }

  view(ply) {
    const last = this.moves.length, wanted = Math.min(Math.max(ply, 0), last);
    this.viewed = wanted === last ? null : wanted;
    this.#tell("viewed");
    // An answer that came while an earlier position was looked at was not played.
    if (this.live) this.#engine();
  }

  // The game goes on from the ply that is viewed.
  branch() {
    if (this.live) return;
    this.#interrupt();
    this.#cut(this.viewed);
    this.viewed = null;
    this.#store();
    this.#tell("taken-back");
    return this.refresh();
  }

  pause(paused) {
    if (this.played) return;
    this.paused = paused;
    this.#store();
    if (paused) this.#interrupt();
    this.#tell("paused");
    if (!this.known) return this.refresh();
    if (!paused) this.#engine();
  }

  // A position came back, or nothing was captured for long: ending it is offered, again only after a while.
  get circles() {
    return this.known && this.state.circling && !this.over && this.live && this.state.ply >= this.setup.quietUntil;
  }

  // Ends a circling game; the server counts it as its rules do.
  async agreeToEnd() {
    this.#interrupt();
    const { generation } = this;
    try {
      const agreed = await post("settle", this.request());
      if (generation !== this.generation) return;
      this.setup.agreed = agreed;
      this.setup.record = recordUpTo(this.setup.record, this.moves.length);
      this.#store();
      this.#tell("ended");
    } catch (error) {
      this.#fail(error);
    }
  }

  playOn() {
    this.setup.quietUntil = this.state.ply + kAskAgainAfter;
    this.#store();
    this.#tell("paused");
  }

  // {south, north, winner}, of a finished game
  get result() {
    if (this.setup.agreed === null) return this.state?.result ?? null;
    const { stores: [south, north], winner } = this.setup.agreed;
    return { south, north, winner };
  }

  // Whatever the engine was asked before is dropped; it is asked again when the answer is there.
  async refresh() {
    this.#interrupt();
    const { generation } = this;
    this.controller = new AbortController();
    try {
      const state = await postPatiently("game", this.request(), this.controller.signal);
      if (generation !== this.generation) return;
      if (state.rules !== this.state?.rules) this.#askAbout(state.rules);
      this.state = state;
      this.error = null;
      this.#tell("known");
      this.#engine();
    } catch (error) {
      if (generation === this.generation) this.#fail(error);
    }
  }

  // What the engine is for these rules: it may not have been trained on them.
  async #askAbout(rules) {
    try {
      this.about = await get(`about?rules=${encodeURIComponent(rules)}`);
      this.#tell("about");
    } catch {
      // The board does without; what matters is told by the next request.
    }
  }

  retry() {
    clearTimeout(this.timer);
    return this.about ? this.refresh() : this.connect();
  }

  async #engine() {
    const { state, setup, generation } = this;
    if (!this.known || this.over || this.thinking || setup.players[state.mover] !== "engine" || this.paused || this.elsewhere) return;
    this.controller = new AbortController();
    this.thinking = true;
    this.#tell("thinking");
    try {
      const answer = await postPatiently("move", { ...this.request(), strength: this.strength.strength }, this.controller.signal);
      if (generation !== this.generation) return;
      this.thinking = false;
      await this.settled?.();
      await this.inTurn(() => (generation === this.generation && !this.paused ? this.play(answer.move) : null));
    } catch (error) {
      if (generation !== this.generation || error.name === "AbortError") return;
      this.thinking = false;
      this.#fail(error);
    }
  }

  #interrupt() {
    ++this.generation;
    this.thinking = false;
    this.controller?.abort();
    this.controller = null;
    clearTimeout(this.timer);
  }

  // Where the server is gone or stops the game asks again by itself; any other error waits for the player.
  #fail(error) {
    this.error = error;
    this.#tell("failed");
    clearTimeout(this.timer);
    if (error.passes) this.timer = setTimeout(() => this.retry(), 1000 * kRetrySeconds);
  }

  // Whoever changes the game plays it from then on.
  #store() {
    this.elsewhere = false;
    this.storedText = JSON.stringify({ ...this.setup, paused: this.paused });
    save("game", JSON.parse(this.storedText));
  }

  #tell(what, move = null) {
    this.dispatchEvent(new CustomEvent("change", { detail: { what, move } }));
  }
}
