// Asks again and again while a view is visible, and says where it stands in place of the view's content.
import { button, h, replace } from "./dom.js";

export class Poll {
  // ask(): fetches and shows; failed(error): what to show instead, or null for the usual notice
  constructor(seconds, ask, place) {
    Object.assign(this, { seconds, ask, place, active: false, busy: false });
    document.addEventListener("visibilitychange", () => this.now());
  }

  set(active) {
    this.active = active;
    this.now();
  }

  async now() {
    clearTimeout(this.timer);
    if (!this.active || document.hidden || this.busy) return;
    this.busy = true;
    try {
      await this.ask();
      replace(this.place);
    } catch (error) {
      replace(this.place, h("div", { class: "notice failed", role: "alert" }, h("div", {}, h("strong", {}, error.message)), h("div", { class: "notice-actions" }, button("Try again", { onclick: () => this.now() }))));
    }
    this.busy = false;
    if (this.active) this.timer = setTimeout(() => this.now(), 1000 * this.seconds);
  }
}
