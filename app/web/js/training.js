// How the training goes: curves that grow with the run, games of its latest iteration, its configuration.
import { get } from "./api.js";
import { Chart, compact } from "./chart.js";
import { h, number, percent, replace } from "./dom.js";
import { Poll } from "./poll.js";
import { Viewer } from "./viewer.js";
import { score } from "./words.js";

const kSeconds = 4;
const kGames = 20;
const share = (value) => percent(value);
const perSecond = (value) => `${compact(value)}/s`;

// Title, note, format, and the curves of one chart with the name each has in the legend. A chart whose curves the run lacks is left out.
const kCharts = [
  ["Strength", "Elo, random at 0; band: 95 % of the rise", (value) => number(value), { elo: "Elo" }],
  ["Loss", "policy: distance to the search, nats", compact, { policy_divergence: "policy", value_loss: "value" }],
  ["Optimal moves", "in solved endings", share, { optimal_policy: "policy alone", optimal_search: "with search" }],
  ["Foresight", "first choice and outcome right", share, { policy_accuracy: "policy", value_accuracy: "value" }],
  ["Self-play", "simulations", perSecond, { simulations_per_second: "self-play" }],
  ["Learning", "samples", perSecond, { samples_per_second: "trainer" }],
  ["Results", "of finished games", share, { south_win_share: "South wins", draw_share: "draws", repetition_share: "repetitions" }],
  ["Length of games", "plies", (value) => number(value), { mean_plies: "mean" }],
  ["Calibration error", "of the value", compact, { calibration_error: "error" }],
  ["Margin loss", "", compact, { margin_loss: "margin" }],
  ["Learning rate", "", compact, { learning_rate: "rate" }],
  ["Time of an iteration", "seconds", compact, { seconds: "seconds" }],
];

const agoWords = (seconds) => (seconds < 90 ? `${Math.round(seconds)} ${Math.round(seconds) === 1 ? "second" : "seconds"} ago` : seconds < 5400 ? `${Math.round(seconds / 60)} minutes ago` : `${Math.round(seconds / 3600)} hours ago`);

export class TrainingView {
  constructor(section) {
    this.section = section;
    this.problem = h("div", { class: "notices" });
    this.summary = h("p", { class: "quiet summary" });
    this.charts = new Map(kCharts.map(([title, note, format]) => [title, new Chart({ title, note, format })]));
    this.grid = h("div", { class: "charts" });
    this.games = h("div", { class: "games" });
    this.viewer = new Viewer();
    this.viewer.element.hidden = true;
    this.configuration = h("div", { class: "configuration" });
    this.gamesTitle = h("h2", {}, "Latest games");
    this.body = h("div", { class: "training-body", hidden: true }, h("section", {}, h("h2", { class: "visually-hidden" }, "Curves"), this.grid),
      h("section", { class: "games-section" }, this.gamesTitle, h("div", { class: "games-layout" }, this.games, this.viewer.element)),
      h("section", {}, h("h2", {}, "Configuration"), this.configuration));
    replace(section, h("div", { class: "view-head" }, h("h1", {}, "Training"), this.summary), this.problem, this.body);
    this.poll = new Poll(kSeconds, () => this.#ask(), this.problem);
    this.iterations = null;
  }

  show(visible) {
    this.poll.set(visible);
  }

  async #ask() {
    let training;
    try {
      training = await get("training");
    } catch (error) {
      if (error.status !== 404) throw error;
      this.summary.textContent = "";
      throw new Error("No run is being watched: start the server with `wari serve --run DIR`.");
    }
    const { run, iterations, seconds_since_last: ago } = training;
    this.summary.textContent = iterations ? `${run}: ${number(iterations)} iterations, the last one ${ago === null || ago === undefined ? "done" : agoWords(ago)}` : `${run}: no iteration is finished yet`;
    this.body.hidden = false;
    if (iterations === this.iterations) return;
    this.#drawCharts(training.curves);
    this.#drawConfiguration(training.config);
    await this.#listGames();
    this.iterations = iterations;
  }

  #drawCharts(curves) {
    const shown = [];
    for (const [title, , , names] of kCharts) {
      const series = Object.entries(names).filter(([name]) => curves[name]?.length).map(([name, words]) => ({ name: words, points: curves[name] }));
      if (series.length) shown.push([title, series]);
    }
    const elements = shown.map(([title]) => this.charts.get(title).element);
    if (elements.length !== this.grid.children.length || elements.some((element, index) => element !== this.grid.children[index])) replace(this.grid, elements);
    for (const [title, series] of shown) this.charts.get(title).show(series);
  }

  async #listGames() {
    const { iteration, games } = await get(`games?count=${kGames}`);
    this.gamesTitle.textContent = games.length ? `Games of iteration ${number(iteration)}` : "Latest games";
    replace(this.games, games.length ? games.map((record, index) => this.#gameButton(record, index)) : h("p", { class: "quiet" }, "No finished game yet."));
    this.viewer.element.hidden = games.length === 0;
    if (games.length && !this.viewer.record) await this.viewer.show(games[0]);
    this.#mark();
  }

  #gameButton(record, index) {
    const [south, north] = record.stores;
    return h("button", { type: "button", class: "game", dataset: { id: record.id }, onclick: () => this.#open(record) },
      h("span", {}, `Game ${index + 1}`), h("b", {}, `${score(south)} : ${score(north)}`), h("span", { class: "quiet" }, `${record.plies.length} moves`));
  }

  async #open(record) {
    try {
      await this.viewer.show(record);
      this.#mark();
    } catch (error) {
      this.viewer.title.textContent = error.message;
    }
  }

  #mark() {
    for (const entry of this.games.querySelectorAll(".game")) entry.setAttribute("aria-pressed", String(entry.dataset.id === String(this.viewer.record?.id)));
  }

  #drawConfiguration(config) {
    const groups = new Map();
    for (const [key, value] of Object.entries(config)) {
      const [group, ...rest] = key.split("."), name = rest.length ? group : "run";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push([rest.length ? rest.join(".") : key, value]);
    }
    replace(this.configuration, [...groups].map(([name, entries]) =>
      h("div", { class: "config-group" }, h("h3", {}, name), h("dl", {}, entries.map(([key, value]) => h("div", { class: "fact" }, h("dt", {}, key), h("dd", {}, String(value))))))));
  }
}
