// A recorded game to step through: a board that is only looked at, its moves, and what the engine thought while it played.
import { post } from "./api.js";
import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { h, signed } from "./dom.js";
import { MoveList } from "./move_list.js";
import { parsePosition, splitLine, startPosition } from "./notation.js";
import { endReason, score } from "./words.js";

export class Viewer {
  constructor() {
    this.board = new Board({ label: "Recorded game", narrowBelow: 460 });
    this.moves = new MoveList((ply) => this.#view(ply));
    this.title = h("p", { class: "status" });
    this.chart = new Chart({ title: "Value for South", note: "win minus loss, of the search", xName: "move", format: (value) => signed(value, 1) });
    this.element = h("div", { class: "viewer" }, h("div", { class: "viewer-board" }, this.board.element, this.title, this.chart.element), h("div", { class: "panel grows" }, h("h3", {}, "Moves"), this.moves.element));
  }

  // record: of GET /api/games
  async show(record) {
    const state = await post("game", { rules: record.rules, start: record.start, moves: record.moves });
    Object.assign(this, { record, state });
    const values = record.plies.map((entry, index) => [index + 1, entry.value, state.plies[index].mover]).filter(([, value]) => value !== null)
      .map(([ply, value, mover]) => [ply, mover === "S" ? value : -value]);
    this.chart.element.hidden = values.length < 2;
    if (values.length > 1) this.chart.show([{ name: "South", points: values }]);
    this.#view(0);
  }

  #view(wanted) {
    const { plies } = this.state, ply = Math.min(Math.max(wanted, 0), plies.length), last = plies[ply - 1];
    const forward = ply === this.ply + 1;
    this.ply = ply;
    const marks = last ? { from: last.pit, lands: last.steps.findLast((step) => step.sow !== undefined)?.sow, taken: last.steps.filter((step) => step.capture !== undefined).map((step) => step.capture) } : {};
    if (forward) this.board.animate(last.steps, last.after, marks);
    else this.board.show(last?.after ?? this.#start(), marks, 240);
    this.moves.show(plies, ply);
    this.title.textContent = this.#words(ply, last);
  }

  #start() {
    if (this.record.start) return this.record.start;
    const { counts } = parsePosition(this.state.plies[0]?.after ?? this.state.position);
    return startPosition(counts.reduce((sum, count) => sum + count, 0) / 12);
  }

  #words(ply, last) {
    if (!last) return `${this.record.rules}, ${splitLine(this.record.moves).length} moves`;
    const [south, north] = this.record.stores, { value } = this.record.plies[ply - 1];
    const thought = value === null ? "" : `, value ${signed(value, 2)} for ${last.mover === "S" ? "South" : "North"}`;
    if (ply < this.state.plies.length) return `Move ${ply}: ${last.move}${thought}`;
    const winner = south > north ? "S" : north > south ? "N" : null;
    return `South ${score(south)}, North ${score(north)}. ${endReason(this.record.ended, winner)}`;
  }
}

