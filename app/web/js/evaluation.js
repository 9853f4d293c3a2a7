// What the engine thinks of the position on the board: asked for in growing searches, shown on the pits, in a bar and in a panel.
import { postPatiently } from "./api.js";
import { compact } from "./chart.js";
import { h, number, percent, replace, signed } from "./dom.js";
import { pitOf, sideName } from "./notation.js";
import { load, save } from "./storage.js";

const kLadder = [400, 1600, 6400, 25600];  // visits

const bySide = (mover, [win, draw, loss]) => (mover === "S" ? [win, draw, loss] : [loss, draw, win]);

export function valueBar(thought, mover) {
  const [south, draw, north] = bySide(mover, thought.wdl);
  const part = (side, share, label) => h("span", { class: `value-part ${side}`, style: { "flex-grow": share.toFixed(4) } }, share > 0.14 ? label : "");
  return h("div", { class: "value-bar", role: "img", "aria-label": `South wins ${percent(south)}, draw ${percent(draw)}, North wins ${percent(north)}` },
    part("south", south, `South ${percent(south)}`), part("draw", draw, percent(draw)), part("north", north, `North ${percent(north)}`));
}

export function marginWords(margin, mover) {
  const south = mover === "S" ? margin : -margin;
  return Math.abs(south) < 0.05 ? "even" : `${sideName(south > 0 ? "S" : "N")} by ${number(Math.abs(south), 1)}`;
}

// Map pit -> note for Board.annotate(); a declined capture counts with its pit.
export function pitNotes(thought) {
  const notes = new Map(), truths = new Map(thought.table?.moves.map((entry) => [entry.move, entry]));
  for (const entry of thought.moves) {
    const pit = pitOf(entry.move), before = notes.get(pit), truth = truths.get(entry.move);
    const share = (before?.share ?? 0) + entry.policy;
    const better = !before || (entry.value ?? -2) > before.value;
    const value = better ? entry.value ?? -2 : before.value, seeds = better ? truth?.value : before.seeds;
    notes.set(pit, { share, value, seeds, best: (before?.best ?? false) || entry.move === thought.best });
  }
  for (const note of notes.values()) {
    const value = note.seeds !== undefined ? `${signed(note.seeds)} ★` : note.value > -2 ? signed(note.value, 2) : "";
    note.short = percent(note.share);
    note.text = `${note.short}  ${value}`;
    note.spoken = `${note.best ? "best, " : ""}searched ${note.short}${note.seeds !== undefined ? `, table ${signed(note.seeds)}` : note.value > -2 ? `, value ${signed(note.value, 2)}` : ""}`;
  }
  return notes;
}

function tableWords(table, mover) {
  const south = mover === "S" ? table.value : -table.value;
  const who = south === 0 ? "both sides take the same" : `${sideName(south > 0 ? "S" : "N")} takes ${number(Math.abs(south))} more`;
  return `${who} from here${table.exact ? "" : ", unless a cycle pays otherwise"}`;
}

export class Evaluation {
  constructor(game, board) {
    this.game = game;
    this.board = board;
    this.on = load("evaluation", false);
    this.thought = null;
    this.controller = null;
    this.about = null;
    this.bar = h("div", { class: "bar-place" });
    this.body = h("div", { class: "evaluation-body" });
    this.remark = h("p", { class: "quiet remark" });
  }

  toggle() {
    this.on = !this.on;
    save("evaluation", this.on);
    this.update();
  }

  // A new position is on the board.
  update() {
    this.controller?.abort();
    this.thought = null;
    this.board.annotate(null);
    this.#draw();
    if (this.on && this.game.known) this.#climb(this.game.ply);
  }

  async #climb(ply) {
    const controller = new AbortController();
    this.controller = controller;
    const game = this.game, limit = game.about?.limits?.visits ?? kLadder.at(-1);
    try {
      for (const visits of kLadder) {
        if (visits > limit) break;
        const thought = await postPatiently("think", { ...game.request(ply), visits }, controller.signal);
        if (controller.signal.aborted) return;
        this.thought = { ...thought, mover: thought.position.at(-1) };
        this.board.annotate(thought.moves.length ? pitNotes(thought) : null);
        this.#draw();
        if (!thought.moves.length || thought.proven) break;
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(this.body, h("p", { class: "problem" }, error.message), h("button", { type: "button", class: "button small", onclick: () => this.update() }, "Ask again"));
    }
  }

  // What there is to say about the engine under these rules.
  note() {
    const engine = this.game.about?.engine, trained = engine?.trained_on ?? [];
    this.remark.textContent = !engine?.note || !trained.length ? engine?.note ?? "" : `The network was trained on ${trained.join(", ")} alone: under ${this.game.state?.rules ?? "these rules"} it guesses.`;
  }

  #draw() {
    const { thought } = this;
    this.bar.hidden = !this.on;
    this.body.classList.toggle("on", this.on);
    if (!this.on) {
      replace(this.body, h("p", { class: "quiet" }, "Off. Evaluation (V) shows what the engine makes of each pit."));
      return;
    }
    if (!thought) {
      replace(this.bar, h("div", { class: "value-bar waiting" }));
      replace(this.body, h("p", { class: "quiet" }, "Looking at the position"));
      return;
    }
    const { mover, table } = thought, row = (name, value, extra = "") => h("div", { class: `fact ${extra}` }, h("dt", {}, name), h("dd", {}, value));
    replace(this.bar, valueBar(thought, mover));
    replace(this.body, h("dl", { class: "facts" },
      row("Expected", thought.proven ? `${marginWords(thought.margin, mover)}, proven` : marginWords(thought.margin, mover)),
      table && row("Table", tableWords(table, mover), "truth"),
      row("Best line", thought.line.length ? h("span", { class: "line" }, thought.line.slice(0, 10).map((move) => h("span", { class: move[0] === move[0].toUpperCase() ? "south" : "north" }, move))) : "none"),
      row("Searched", `${number(thought.visits)} visits${thought.simulations_per_second ? `, ${compact(thought.simulations_per_second)}/s` : ""}`)));
  }
}
