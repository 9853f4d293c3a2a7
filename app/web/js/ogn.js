// Games as OGN files: saved from the board, loaded onto it.
import { post } from "./api.js";
import { button, h, replace } from "./dom.js";
import { kSeats } from "./new_game.js";
import { splitLine } from "./notation.js";
import { playerName } from "./words.js";

export async function saveGame(game) {
  const tags = { ...game.setup.tags };
  tags.South ??= playerName(game, "S");
  tags.North ??= playerName(game, "N");
  tags.Date ??= new Date().toISOString().slice(0, 10).replaceAll("-", ".");
  const agreed = game.setup.agreed !== null && game.setup.record.ended === null;
  const { text } = await post("ogn/write", { ...game.request(), ...game.setup.record, tags, ...(agreed && { agreed, ended: null, result: null }) });
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: address, download: `${game.setup.rules.split(",")[0]}-${tags.Date.replaceAll(".", "-")}.ogn` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The end of a game that a program ended before the rules did, as Game keeps it; null where it goes on, or nobody knows the stores.
export async function recordedEnd({ rules, start, moves, ended, result }) {
  if (!ended) return null;
  const written = /^(\d+(?:\.5)?)-(\d+(?:\.5)?)$/.exec(["1-0", "0-1"].includes(result) ? "" : result ?? "");
  const stores = written && [Number(written[1]), Number(written[2])];
  if (ended === "limit") {
    const settled = await post("settle", { rules, start, moves });
    if (!stores || (stores[0] === settled.stores[0] && stores[1] === settled.stores[1])) return settled;
  }
  if (!stores) return null;
  const [south, north] = stores;
  return { stores, winner: south > north ? "S" : north > south ? "N" : null, sweeps: [], ended };
}

export class LoadDialog {
  constructor(onGame) {
    this.onGame = onGame;
    this.problem = h("p", { class: "problem", role: "alert" });
    this.found = h("div", { class: "found-games" });
    this.text = h("textarea", { id: "ogn-text", rows: "7", spellcheck: "false" });
    this.file = h("input", { id: "ogn-file", type: "file", accept: ".ogn,.txt,text/plain", onchange: () => this.#readFile() });
    this.seats = h("select", { id: "ogn-seats" }, kSeats.map(([value, label]) => h("option", { value, selected: value === "you-you" }, label)));
    this.dialog = h("dialog", { class: "dialog", "aria-labelledby": "load-title" },
      h("h2", { id: "load-title" }, "Load a game"),
      h("label", { class: "field file-field", for: "ogn-file" }, h("span", { class: "quiet" }, "An OGN file"), this.file),
      h("label", { class: "field", for: "ogn-text" }, h("span", { class: "quiet" }, "or its text"), this.text),
      h("label", { class: "field", for: "ogn-seats" }, h("span", { class: "quiet" }, "Who goes on with it"), this.seats),
      this.problem, this.found,
      h("div", { class: "dialog-actions" }, button("Cancel", { class: "plain", onclick: () => this.dialog.close() }), button("Read", { class: "primary", onclick: () => this.#read(this.text.value) })));
    document.body.append(this.dialog);
  }

  open() {
    this.problem.textContent = "";
    this.file.value = "";
    replace(this.found);
    this.dialog.showModal();
  }

  async #readFile() {
    const [file] = this.file.files;
    if (file) await this.#read(await file.text());
  }

  async #read(text) {
    this.problem.textContent = "";
    try {
      const { games } = await post("ogn/read", { text });
      if (games.length === 0) throw new Error("There is no game in this text.");
      if (games.length === 1) this.#take(games[0]);
      else replace(this.found, h("p", {}, `${games.length} games. Which one?`), games.map((game, index) => button(this.#title(game, index), { class: "found-game", onclick: () => this.#take(game) })));
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  #title({ tags, result, moves }, index) {
    const names = [tags?.South ?? tags?.White, tags?.North ?? tags?.Black].filter(Boolean).join(" – ");
    return [`${index + 1}.`, names, tags?.Event, tags?.Date, `${splitLine(moves).length} moves`, result].filter(Boolean).join("  ");
  }

  #take(game) {
    this.dialog.close();
    this.onGame(game, kSeats.find(([value]) => value === this.seats.value)[3]);
  }
}
