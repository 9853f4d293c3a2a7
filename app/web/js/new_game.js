// The dialog that begins a game: rule set with any option changed, who plays, how strong, from which position.
import { post } from "./api.js";
import { button, h, number, replace } from "./dom.js";

export const kSeats = [
  ["you-engine", "You are South", "and move first", { S: "you", N: "engine" }],
  ["engine-you", "You are North", "the engine begins", { S: "engine", N: "you" }],
  ["you-you", "Both sides", "two people, one board", { S: "you", N: "you" }],
  ["engine-engine", "Watch", "the engine against itself", { S: "engine", N: "engine" }],
];

function choices(name, entries, chosen) {
  return h("div", { class: `choices ${name}` }, entries.map(([value, label, note]) =>
    h("label", { class: "choice" }, h("input", { type: "radio", name, value, checked: value === chosen, autofocus: name === "seats" && value === chosen }), h("span", { class: "choice-face" }, h("span", {}, label), note && h("small", {}, note)))));
}

const strengthWords = ({ elo, strength: { visits, movetime_ms: time } }) => (elo ? `${number(Math.round(elo))} Elo` : visits ? `${number(visits)} visits` : time ? `${number(time / 1000)} s a move` : null);

const optionOf = (options, key) => String(key.split(".").reduce((part, word) => part?.[word], options));

export class NewGameDialog {
  constructor(game) {
    this.game = game;
    this.problem = h("p", { class: "problem", role: "alert" });
    this.form = h("form", { method: "dialog", class: "new-game" });
    this.dialog = h("dialog", { class: "dialog", "aria-labelledby": "new-game-title" }, this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    document.body.append(this.dialog);
  }

  open() {
    const { setup, presets, about } = this.game;
    if (!presets || !about) return;
    const [preset] = setup.rules.split(",");
    this.rules = h("select", { id: "rule-set", onchange: () => this.#showRules() }, presets.map(({ name, also }) => h("option", { value: name, selected: name === preset }, also ? `${name} – ${also}` : name)));
    this.description = h("p", { class: "quiet" });
    this.optionFields = h("div", { class: "option-fields" });
    this.position = h("input", { id: "start-position", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", value: setup.start ?? "" });
    const seat = kSeats.find(([, , , players]) => players.S === setup.players.S && players.N === setup.players.N) ?? kSeats[0];
    this.problem.textContent = "";
    replace(this.form,
      h("h2", { id: "new-game-title" }, "New game"),
      h("fieldset", {}, h("legend", {}, "Who plays"), choices("seats", kSeats, seat[0])),
      h("fieldset", {}, h("legend", {}, "Engine"), choices("strength", about.strengths.map((entry) => [entry.name, entry.name, strengthWords(entry)]), this.game.strength?.name)),
      h("fieldset", {}, h("legend", {}, "Rules"), h("label", { class: "field", for: "rule-set" }, h("span", { class: "visually-hidden" }, "Rule set"), this.rules), this.description,
        h("details", {}, h("summary", {}, "Change single rules"), this.optionFields)),
      h("fieldset", {}, h("legend", {}, "Position"),
        h("label", { class: "field", for: "start-position" }, h("span", { class: "quiet" }, "Empty for the usual start; else seeds A to F, a to f, both stores, and who moves"), this.position)),
      this.problem,
      h("div", { class: "dialog-actions" }, button("Cancel", { class: "plain", onclick: () => this.dialog.close() }), h("button", { type: "submit", class: "button primary" }, "Begin")));
    this.#showRules(setup.rules);
    this.dialog.showModal();
  }

  #preset() {
    return this.game.presets.find(({ name }) => name === this.rules.value) ?? this.game.presets[0];
  }

  #showRules(rules = this.rules.value) {
    const preset = this.#preset(), changes = new Map(rules.split(",").slice(1).map((change) => change.split("=")));
    this.description.textContent = preset.description ?? "";
    this.fields = this.game.options.map((option) => {
      const id = `option-${option.key}`, value = changes.get(option.key) ?? optionOf(preset.options, option.key);
      const input = option.values?.length
        ? h("select", { id }, option.values.map((word) => h("option", { value: word, selected: String(word) === value }, String(word).replaceAll("_", " "))))
        : h("input", { id, type: "number", value });
      return { option, input };
    });
    replace(this.optionFields, this.fields.map(({ option, input }) =>
      h("label", { class: "field option", for: input.id }, h("span", {}, option.key.replaceAll("_", " ").replace(".", " "), h("small", {}, option.meaning)), input)));
    for (const details of this.form.querySelectorAll("details")) details.open = changes.size > 0;
  }

  // As the command line writes it: a name, then what differs from it.
  #rulesText() {
    const preset = this.#preset();
    const changed = this.fields.filter(({ option, input }) => input.value !== optionOf(preset.options, option.key));
    return [preset.name, ...changed.map(({ option, input }) => `${option.key}=${input.value}`)].join(",");
  }

  async #begin() {
    const chosen = new FormData(this.form), start = this.position.value.trim();
    const [, , , players] = kSeats.find(([value]) => value === chosen.get("seats"));
    const setup = { rules: this.#rulesText(), start: start || null, players, strength: chosen.get("strength") };
    try {
      await post("game", { rules: setup.rules, start: setup.start, moves: "" });
    } catch (error) {
      this.problem.textContent = error.message;
      return;
    }
    this.dialog.close();
    await this.game.begin(setup);
  }
}
