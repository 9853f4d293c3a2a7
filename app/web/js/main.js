// The page: three views behind the address's fragment, the theme, the help.
import { CheckpointsView } from "./checkpoints.js";
import { Game } from "./game.js";
import { PlayView } from "./play.js";
import { TrainingView } from "./training.js";

const kThemes = ["auto", "light", "dark"];

const game = new Game();
const section = (name) => document.getElementById(name);
const views = {
  play: new PlayView(section("play"), game),
  training: new TrainingView(section("training")),
  checkpoints: new CheckpointsView(section("checkpoints"), game),
};

function route() {
  const wanted = location.hash.slice(1), name = wanted in views ? wanted : "play";
  for (const [other, view] of Object.entries(views)) {
    section(other).hidden = other !== name;
    const link = document.querySelector(`nav a[href="#${other}"]`);
    if (other === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    view.show?.(other === name);
  }
  document.title = `${name[0].toUpperCase()}${name.slice(1)} – Wari`;
}

function showTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const control = document.getElementById("theme");
  control.querySelector("use").setAttribute("href", `#icon-${theme}`);
  control.setAttribute("aria-label", `Theme: ${theme === "auto" ? "as the system" : theme}`);
  control.title = control.getAttribute("aria-label");
  control.dataset.theme = theme;
}

function nextTheme() {
  const control = document.getElementById("theme"), theme = kThemes[(kThemes.indexOf(control.dataset.theme) + 1) % kThemes.length];
  try {
    localStorage.setItem("wari.theme", theme);
  } catch {
    // It holds until the page is left.
  }
  showTheme(theme);
}

const help = document.getElementById("help");
showTheme(document.documentElement.dataset.theme ?? "auto");
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("help-button").addEventListener("click", () => help.showModal());
document.getElementById("help-close").addEventListener("click", () => help.close());
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !document.querySelector("dialog[open]") && !event.target.closest("input, select, textarea")) help.showModal();
});
addEventListener("hashchange", route);
route();
game.connect();
