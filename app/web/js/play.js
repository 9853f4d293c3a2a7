// The view in which a person plays: board, seats, status, what can be done, evaluation and moves.
import { Board } from "./board.js";
import { announce, button, h, replace, seeds, wantsStillness } from "./dom.js";
import { Evaluation } from "./evaluation.js";
import { recordOf } from "./kept_game.js";
import { MoveList } from "./move_list.js";
import { NewGameDialog } from "./new_game.js";
import { other, pitLetter, pitOf, sideName } from "./notation.js";
import { LoadDialog, recordedEnd, saveGame } from "./ogn.js";
import { postPatiently } from "./api.js";
import { load, save } from "./storage.js";
import { endReason, moveSentence, playerName, refusal, statusLine } from "./words.js";

const kHintVisits = 800;
const kBreath = 260;  // milliseconds between two moves

const landing = (steps) => steps.findLast((step) => step.sow !== undefined)?.sow;
const takenBy = (steps) => steps.filter((step) => step.capture !== undefined).map((step) => step.capture);

export class PlayView {
  constructor(section, game) {
    this.section = section;
    this.game = game;
    this.motion = Promise.resolve();
    this.hinted = null;
    this.turned = load("turned", false);
    this.board = new Board({ onPit: (pit) => this.choose(pit), label: "Board" });
    this.evaluation = new Evaluation(game, this.board);
    this.moves = new MoveList((ply) => this.step(ply));
    this.newGame = new NewGameDialog(game);
    this.loading = new LoadDialog((loaded, players) => this.#take(loaded, players));
    this.#build();
    game.settled = async () => {
      await this.motion;
      if (!wantsStillness()) await new Promise((resolve) => setTimeout(resolve, kBreath));
    };
    game.addEventListener("change", ({ detail }) => this.#changed(detail));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #build() {
    const action = (label, iconName, key, onclick, properties = {}) => button(label, { onclick, "aria-keyshortcuts": key, title: `${label} (${key})`, ...properties }, iconName);
    this.seats = { far: h("p", { class: "seat" }), near: h("p", { class: "seat" }) };
    this.status = h("p", { class: "status" });
    this.notice = h("div", { class: "notices" });
    this.buttons = {
      newGame: action("New game", "new", "N", () => this.newGame.open(), { class: "primary" }),
      back: action("Take back", "undo", "U", () => this.takeBack()),
      hint: action("Hint", "hint", "H", () => this.hint()),
      evaluation: action("Evaluation", "gauge", "V", () => this.#toggleEvaluation(), { "aria-pressed": "false" }),
      turn: action("Turn board", "turn", "R", () => this.#turn()),
      save: action("Save", "save", "S", () => this.#save()),
      load: action("Load", "load", "L", () => this.loading.open()),
      pause: action("Pause", "pause", "P", () => this.game.pause(!this.game.paused)),
    };
    const { newGame, back, hint, evaluation, turn, save: saving, load: opening, pause } = this.buttons;
    replace(this.section,
      h("h1", { class: "visually-hidden" }, "Play"),
      h("div", { class: "stage" },
        this.seats.far, h("div", { class: "board-frame" }, this.board.element), this.evaluation.bar, this.seats.near, this.status, this.notice,
        h("div", { class: "actions", role: "group", "aria-label": "Game" }, back, hint, evaluation, pause, turn)),
      h("aside", { class: "side", "aria-label": "Game record" },
        h("div", { class: "side-actions", role: "group", "aria-label": "Games" }, newGame, saving, opening),
        h("section", { class: "panel" }, h("h2", {}, "Evaluation"), this.evaluation.body, this.evaluation.remark),
        h("section", { class: "panel grows" }, h("h2", {}, "Moves"), this.moves.element)));
  }

  choose(pit, declined = null) {
    this.board.finish();
    this.#closeChoice();
    return this.game.inTurn(() => this.#choose(pit, declined));
  }

  #choose(pit, declined) {
    const refused = refusal(this.game, pit);
    if (refused) return this.#say(refused);
    const moves = this.game.state.legal.filter((entry) => pitOf(entry.move) === pit);
    if (moves.length > 1 && declined === null) return this.#offerChoice(pit, moves);
    return this.game.play((moves.find((entry) => entry.declined === declined) ?? moves[0]).move);
  }

  // A letter stands for the pit of whoever is to move by then.
  #chooseLetter(step) {
    this.board.finish();
    this.#closeChoice();
    this.game.inTurn(() => this.game.known && this.#choose(step + (this.game.state.mover === "S" ? 0 : 6), null));
  }

  takeBack() {
    this.board.finish();
    this.#closeChoice();
    this.game.inTurn(() => this.game.takeBack());
  }

  step(ply) {
    this.board.finish();
    this.#closeChoice();
    this.game.view(ply);
  }

  async hint() {
    const { game } = this, ply = game.ply;
    if (!game.known || (game.over && game.live)) return;
    this.#say("Looking for a hint");
    try {
      const thought = await postPatiently("think", { ...game.request(ply), visits: kHintVisits });
      if (game.ply !== ply || !thought.best) return;
      this.hinted = { ply, pit: pitOf(thought.best) };
      this.#render();
      this.#say(`Hint: ${thought.best[0]}${thought.best.endsWith("-") ? ", without capturing" : ""}`);
    } catch (error) {
      this.#say(error.message);
    }
  }

  #toggleEvaluation() {
    this.evaluation.toggle();
    this.#render();
  }

  #turn() {
    this.turned = !this.turned;
    save("turned", this.turned);
    this.board.finish();
    this.#render();
  }

  async #save() {
    try {
      await saveGame(this.game);
      announce("The game was saved as an OGN file.");
    } catch (error) {
      this.#say(error.message);
    }
  }

  async #take(loaded, players) {
    const { rules, start, moves, tags } = loaded;
    try {
      const agreed = await recordedEnd(loaded);
      await this.game.begin({ rules, start, moves, agreed, tags: tags ?? {}, record: recordOf(loaded), players, strength: this.game.setup.strength });
    } catch (error) {
      this.#say(error.message);
    }
  }

  // Where a capture is due that may be declined both ways stand beside the pit, in the rim, so that the seeds stay in sight; on a narrow board over the mover's store, which
  // leaves all numbers in sight.
  #offerChoice(pit, moves) {
    const due = moves.find((entry) => !entry.declined);
    const answer = (declined) => () => {
      this.#closeChoice();
      this.board.focusPit(pit);
      this.choose(pit, declined);
    };
    const { places, name, width, height } = this.board.geometry;
    const { x, y } = name === "narrow" ? places[pit < 6 ? 12 : 13] : places[pit].number;
    const take = button(`Capture ${due.captured}`, { class: "primary", onclick: answer(false) }), leave = button("Leave them", { onclick: answer(true), "aria-keyshortcuts": "-" });
    this.choice = h("div", { class: "capture-choice", role: "group", "aria-label": `Pit ${pitLetter(pit)}: capture ${seeds(due.captured)} or leave them`,
      style: { left: `${Math.min(80, Math.max(20, (100 * x) / width))}%`, top: `${(100 * y) / height}%` } }, take, leave);
    this.choice.pit = pit;
    this.choice.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#closeChoice();
      this.board.focusPit(pit);
    });
    this.board.element.after(this.choice);
    take.focus();
    announce(`Pit ${pitLetter(pit)} captures ${seeds(due.captured)}. Capture them, or leave them?`);
  }

  #closeChoice() {
    this.choice?.remove();
    this.choice = null;
  }

  #changed({ what, move }) {
    const { game } = this;
    if (["played", "begun", "taken-back", "viewed", "ended"].includes(what)) this.#closeChoice();
    if (what === "played") {
      this.hinted = null;
      this.motion = this.board.animate(move.steps, move.after, this.#marksOf(move.pit, move.steps)).then(() => this.#render());
      this.evaluation.update();
    } else if (what === "known") {
      if (!this.board.animating) this.#render();
      this.evaluation.update();
      this.#announceLast();
    } else if (what === "viewed" || what === "taken-back") {
      this.hinted = null;
      if (what === "taken-back") this.spoken = 0;
      this.#render(260);
      this.evaluation.update();
      announce(what === "viewed" ? `Position after move ${game.ply}` : "Taken back");
    } else if (what === "begun") {
      this.hinted = null;
      this.spoken = 0;
      announce("New game");
    } else if (what === "taken-over") {
      this.hinted = null;
      this.spoken = null;
      this.#closeChoice();
      announce("The game went on in another tab.");
    } else if (what === "about") {
      this.evaluation.note();
    } else if (what === "ended") {
      this.#render();
      announce(statusLine(game));
    }
    this.#controls();
  }

  #announceLast() {
    const { game } = this, { plies } = game.state, sentences = plies.slice(Math.max(this.spoken ?? plies.length, plies.length - 2)).map((ply) => moveSentence(game, ply));
    this.spoken = plies.length;
    announce([...sentences, statusLine(game), game.over ? endReason(game.state.end, game.result.winner) : ""].join(" ").trim());
  }

  #marksOf(from, steps) {
    return { from, lands: landing(steps), taken: takenBy(steps) };
  }

  // The board as the game stands at the ply that is viewed.
  #render(milliseconds = 0) {
    const { game, board } = this;
    board.turn((game.near === "N") !== this.turned);
    if (!game.known) return;
    const { plies, legal } = game.state, last = plies[game.ply - 1], marks = last ? this.#marksOf(last.pit, last.steps) : {};
    if (game.yourTurn && game.live) {
      marks.legal = new Set(legal.map((entry) => entry.pit));
      marks.previews = new Map(legal.filter((entry) => !entry.declined).map((entry) => [entry.pit, { lands: landing(entry.steps), taken: takenBy(entry.steps) }]));
    }
    if (this.hinted?.ply === game.ply) marks.hint = this.hinted.pit;
    if (game.over && game.live) marks.stores = [game.result.south, game.result.north];
    if (!board.animating) this.#place(marks, milliseconds);
    this.moves.show(plies, game.ply);
    this.#controls();
  }

  // The position, or at the end of a game how its last seeds were shared out: seen once, as it happens.
  #place(marks, milliseconds) {
    const { game, board } = this, { sweeps } = game, ended = game.over && game.live && sweeps.length > 0;
    if (ended && this.watched) {
      board.show(game.positionAt(game.ply), marks);
      this.motion = board.animate(sweeps, game.settledPosition, marks);
    } else {
      board.show(ended ? game.settledPosition : game.positionAt(game.ply), marks, milliseconds);
    }
    this.watched = !game.over;
  }

  #controls() {
    const { game, buttons } = this, near = this.board.turned ? "N" : "S";
    for (const [seat, side] of [["far", other(near)], ["near", near]]) {
      const turn = game.known && !game.over && game.state.mover === side;
      this.seats[seat].classList.toggle("to-move", turn);
      replace(this.seats[seat], h("span", { class: `dot ${side}`, "aria-hidden": "true" }), h("strong", {}, playerName(game, side)),
        h("span", { class: "quiet" }, [playerName(game, side) !== sideName(side) && sideName(side), game.setup.players[side] === "engine" && game.strength?.name].filter(Boolean).join(", ")),
        turn && game.thinking ? h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")) : null,
        seat === "far" && h("span", { class: "rules-name" }, game.setup.rules));
    }
    this.status.textContent = this.said ?? statusLine(game);
    this.said = null;
    buttons.back.disabled = !game.canTakeBack;
    buttons.hint.disabled = !game.known || (game.over && game.live);
    buttons.evaluation.setAttribute("aria-pressed", String(this.evaluation.on));
    buttons.pause.hidden = game.played || game.over;
    buttons.pause.querySelector("span").textContent = game.paused ? "Go on" : "Pause";
    buttons.pause.querySelector("use").setAttribute("href", game.paused ? "#icon-go" : "#icon-pause");
    this.#notices();
  }

  // Everything that waits for an answer stands here, none of it in the way of the board.
  #notices() {
    const { game } = this, notices = [];
    const notice = (kind, words, ...actions) => h("div", { class: `notice ${kind}` }, h("div", {}, words), h("div", { class: "notice-actions" }, actions));
    if (game.error) notices.push(h("div", { class: "notice failed", role: "alert" }, h("div", {}, h("strong", {}, game.error.message), game.error.passes ? " Your game is safe here; it goes on as soon as the server is back." : ""),
      h("div", { class: "notice-actions" }, button("Try again", { onclick: () => game.retry() }))));
    if (!game.live) notices.push(notice("earlier", "You are looking back.", button("Back to the game", { class: "primary", onclick: () => this.step(game.moves.length) }), button("Play on from here", { onclick: () => game.branch() })));
    if (game.elsewhere && game.known && !game.over && !game.paused && game.setup.players[game.state.mover] === "engine")
      notices.push(notice("elsewhere", "This game goes on in another tab.", button("Go on here", { class: "primary", onclick: () => game.goOnHere() })));
    if (game.circles) {
      const reason = game.state.repeated > 0 ? "This position has been on the board before." : `Nothing was captured for ${game.state.quiet_plies} moves.`;
      notices.push(notice("circling", `${reason} End the game here?`, button("End it", { class: "primary", onclick: () => game.agreeToEnd() }), button("Play on", { onclick: () => game.playOn() })));
    }
    if (game.over && game.live && game.result) {
      notices.push(notice("finished", endReason(game.setup.agreed ? game.setup.agreed.ended ?? "agreed" : game.state.end, game.result.winner),
        button("Play again", { class: "primary", onclick: () => this.#again() }), button("Step through", { onclick: () => this.step(0) })));
    }
    replace(this.notice, notices);
  }

  #again() {
    const { rules, start, players, strength } = this.game.setup;
    this.game.begin({ rules, start, players, strength });
  }

  #say(text) {
    this.said = text;
    announce(text);
    this.#controls();
  }

  #key(event) {
    if (this.section.hidden || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || event.target.closest("input, select, textarea")) return;
    const key = event.key.toLowerCase(), { game } = this;
    const actions = {
      u: () => this.takeBack(), h: () => this.hint(), v: () => this.#toggleEvaluation(), n: () => this.newGame.open(), r: () => this.#turn(),
      s: () => this.#save(), l: () => this.loading.open(), p: () => this.buttons.pause.hidden || game.pause(!game.paused),
      ",": () => this.step(game.ply - 1), ".": () => this.step(game.ply + 1), home: () => this.step(0), end: () => this.step(game.moves.length),
      "-": () => this.choice && this.choose(this.choice.pit, true),
    };
    if (key.length === 1 && key >= "a" && key <= "f") {
      event.preventDefault();
      this.#chooseLetter(key.charCodeAt(0) - 97);
    } else if (actions[key] && !event.repeat) {
      event.preventDefault();
      actions[key]();
    }
  }
}

