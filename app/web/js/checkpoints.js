// The checkpoints of a run: their strength, two of them compared on one position, a match between them.
import { get, post, postPatiently, remove } from "./api.js";
import { Board } from "./board.js";
import { button, h, number, percent, replace, signed } from "./dom.js";
import { marginWords, valueBar } from "./evaluation.js";
import { pitOf } from "./notation.js";
import { Poll } from "./poll.js";

const kSeconds = 5;
const kMatchSeconds = 1;
const kVisits = [100, 400, 1600, 6400];

const eloWords = (elo, error) => (elo === null || elo === undefined ? "–" : `${number(elo)}${error === null || error === undefined ? "" : ` ± ${number(error)}`}`);

export class CheckpointsView {
  constructor(section, game) {
    Object.assign(this, { section, game, chosen: { a: null, b: null }, known: "" });
    this.problem = h("div", { class: "notices" });
    this.table = h("div", { class: "table-scroll" });
    this.board = new Board({ label: "Position to compare on", narrowBelow: 460 });
    this.compareProblem = h("div", { "aria-live": "assertive" });
    this.compared = h("div", { class: "compared", "aria-live": "polite" });
    this.match = h("div", { class: "match" });
    this.matchProblem = h("div", { "aria-live": "assertive" });
    this.position = h("input", { id: "compare-position", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "the position of your game" });
    this.visits = h("select", { id: "compare-visits" }, kVisits.map((visits) => h("option", { value: visits, selected: visits === 400 }, `${number(visits)} visits`)));
    this.games = h("input", { id: "match-games", type: "number", min: "2", step: "2", value: "200" });
    this.rules = h("select", { id: "match-rules" });
    this.matchVisits = h("input", { id: "match-visits", type: "number", min: "1", value: "64" });
    const field = (label, input) => h("label", { class: "field", for: input.id }, h("span", { class: "quiet" }, label), input);
    this.tools = h("div", { class: "tools", hidden: true },
      h("section", { class: "panel" }, h("h2", {}, "Compare on a position"), h("div", { class: "form-row" }, field("Position", this.position), field("Search", this.visits), button("Compare", { class: "primary", onclick: () => this.#compare() })), this.compareProblem, this.board.element, this.compared),
      h("section", { class: "panel" }, h("h2", {}, "Match"), h("div", { class: "form-row" }, field("Games", this.games), field("Visits a move", this.matchVisits), field("Rules", this.rules), button("Start match", { class: "primary", onclick: () => this.#startMatch() })), this.matchProblem, this.match));
    replace(section, h("div", { class: "view-head" }, h("h1", {}, "Checkpoints"), h("p", { class: "quiet summary" }, "Choose two, A and B.")), this.problem, this.table, this.tools);
    this.poll = new Poll(kSeconds, () => this.#list(), this.problem);
    this.matchPoll = new Poll(kMatchSeconds, () => this.#watch(), h("div"));
  }

  show(visible) {
    const limits = this.game.about?.limits;
    if (limits) {
      this.games.max = limits.match_games;
      this.matchVisits.max = limits.match_visits;
    }
    this.poll.set(visible);
    this.matchPoll.set(visible);
    if (visible) this.#showPosition();
  }

  // What will be compared, until something has been.
  #showPosition() {
    if (!this.board.position && this.game.known) this.board.show(this.game.positionAt(this.game.ply));
  }

  // A match is played by rules that its networks learned, or by those of your game.
  #showRules(checkpoints) {
    const learned = checkpoints.flatMap(({ rules }) => rules), all = [...new Set([...learned, this.game.setup.rules])], chosen = this.rules.value, text = JSON.stringify([all, learned]);
    if (text === this.rulesShown) return;  // a list that is open stays so
    this.rulesShown = text;
    replace(this.rules, all.map((rules) => h("option", { value: rules, selected: rules === chosen }, learned.includes(rules) ? rules : `${rules} (not learned)`)));
  }

  async #list() {
    const { checkpoints } = await get("checkpoints");
    this.tools.hidden = checkpoints.length === 0;
    this.#showPosition();
    this.#showRules(checkpoints);
    const text = JSON.stringify(checkpoints);
    if (text === this.known) return;
    this.known = text;
    const names = checkpoints.map(({ name }) => name);
    if (!names.includes(this.chosen.a)) this.chosen.a = names.at(-1) ?? null;
    if (!names.includes(this.chosen.b)) this.chosen.b = (checkpoints.slice(0, -1).findLast(({ elo }) => elo !== null) ?? checkpoints.at(-2) ?? checkpoints.at(-1))?.name ?? null;
    const pick = (side, name) => h("td", {}, h("label", { class: "pick" }, h("input", { type: "radio", name: `checkpoint-${side}`, value: name, checked: this.chosen[side] === name, "aria-label": `${name} as ${side.toUpperCase()}`, onchange: () => (this.chosen[side] = name) }), h("span", { "aria-hidden": "true" }, side.toUpperCase())));
    replace(this.table, checkpoints.length === 0 ? h("p", { class: "quiet" }, "There is no checkpoint: start the server with `wari serve --run DIR`.") :
      h("table", { class: "checkpoints" }, h("thead", {}, h("tr", {}, ["A", "B", "Checkpoint", "Elo", "Training"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, checkpoints.toReversed().map((entry) => h("tr", {}, pick("a", entry.name), pick("b", entry.name), h("th", { scope: "row" }, entry.name, entry.newest && h("span", { class: "badge" }, "newest"), entry.best && h("span", { class: "badge best" }, "best")), h("td", {}, eloWords(entry.elo, entry.elo_error_95)),
          h("td", {}, entry.minutes === null || entry.minutes === undefined ? "–" : entry.minutes < 1 ? `${number(60 * entry.minutes)} s` : `${number(entry.minutes, 1)} min`))))));
  }

  async #compare() {
    const typed = this.position.value.trim(), { game } = this;
    const request = typed ? { rules: game.setup.rules, start: typed, moves: "" } : game.request(game.ply);
    replace(this.compareProblem, h("p", { class: "quiet" }, "Both are thinking"));
    try {
      const { results } = await postPatiently("compare", { ...request, checkpoints: [this.chosen.a, this.chosen.b], visits: Number(this.visits.value) });
      replace(this.compareProblem);
      this.board.show(results[0].position);
      const mover = results[0].position.at(-1);
      replace(this.compared, h("div", { class: "pair" }, results.map((thought, index) => this.#thought(thought, mover, index))));
    } catch (error) {
      replace(this.compareProblem, h("p", { class: "problem" }, error.message));
    }
  }

  #thought(thought, mover, index) {
    const most = Math.max(...thought.moves.map(({ policy }) => policy), 0.01);
    return h("div", { class: "thought" }, h("h3", {}, `${"AB"[index]}: ${thought.checkpoint ?? ""}`), valueBar(thought, mover),
      h("p", {}, `Plays `, h("b", {}, thought.best ?? "nothing"), `, expects ${marginWords(thought.margin, mover)}`),
      h("ol", { class: "policies" }, [...thought.moves].sort((a, b) => pitOf(a.move) - pitOf(b.move)).map(({ move, policy, value }) =>
        h("li", { class: move === thought.best ? "best" : "" }, h("b", {}, move), h("span", { class: "policy-bar" }, h("span", { style: { width: `${(100 * policy) / most}%` } })), h("span", {}, percent(policy)), h("span", { class: "quiet" }, value === null ? "" : signed(value, 2))))),
      h("p", { class: "quiet" }, thought.line.slice(0, 8).join(" ")));
  }

  #startMatch() {
    return this.#ask(() => post("match", { a: this.chosen.a, b: this.chosen.b, games: Number(this.games.value), visits: Number(this.matchVisits.value), rules: this.rules.value }));
  }

  // What is wrong stays until something is asked again.
  async #ask(request) {
    replace(this.matchProblem);
    try {
      await request();
      await this.matchPoll.now();
    } catch (error) {
      replace(this.matchProblem, h("p", { class: "problem" }, error.message));
    }
  }

  async #watch() {
    const { match } = await get("match"), text = JSON.stringify(match);
    if (match === null || text === this.shown) return;
    this.shown = text;
    const { a, b, played, games, wins, draws, losses, running, elo, elo_error_95: error, seconds_left: left } = match;
    replace(this.match,
      h("p", {}, h("b", {}, a), " against ", h("b", {}, b), `, ${match.rules}, ${number(match.visits)} visits a move`),
      h("progress", { max: games, value: played, "aria-label": "Games played" }),
      h("p", {}, `${number(played)} of ${number(games)} games${running && left !== null && left !== undefined ? `, about ${number(Math.ceil(left))} s left` : running ? "" : played < games ? ", stopped" : ", finished"}`),
      played > 0 && h("dl", { class: "facts" }, [["A wins", number(wins)], ["Draws", number(draws)], ["B wins", number(losses)], [elo < 0 ? "B is stronger by" : "A is stronger by", elo === null || elo === undefined ? "–" : `${eloWords(Math.abs(elo), error)} Elo`]].map(([name, value]) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value)))),
      match.error && h("p", { class: "problem" }, match.error),
      running && button("Stop match", { onclick: () => this.#ask(() => remove("match")) }));
  }
}
