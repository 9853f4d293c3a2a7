"""Screenshots of every view at two widths and in both themes, into the build folder; what a machine can judge of them; names and contrast."""

import os
import unittest

from page import SHOTS, PageTest, wait_for

SIZES = ((390, 844), (1280, 800))
TALLEST = 3000

# Contrast of each text with what lies behind it, where that is a plain colour: WCAG's AA wants 4.5, or 3 for large text.
CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const channels = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = ([r, g, b]) => { const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
const behind = (element) => { for (let e = element; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; } return channels("white"); };
const poor = [];
for (const element of document.querySelectorAll("body *:not(svg, svg *)")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.checkVisibility() || element.closest(":disabled, .visually-hidden, .skip")) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const a = light(channels(style.color)), b = light(behind(element)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < (size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5)) poor.push(`${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return poor;
"""


class Looks(PageTest):
    def views(self):
        def play():
            self.game(moves="FfEeDcAbCdB", players={"S": "you", "N": "you"})
        def evaluation():
            play()
            self.browser.press("v")
            wait_for("the rings", lambda: self.browser.count("#play .ring.shown") == 6)
        def finished():
            self.game(start="0-0-0-0-0-1-1-0-0-0-0-0-23-23-S", moves="F")
            wait_for("the end", lambda: self.browser.count(".notice.finished"))
        def choice():
            self.game(rules="awale", start="4-0-0-0-0-2-1-1-3-0-0-0-18-19-S")
            self.pit("F")
            self.browser.one(".capture-choice")
        def new_game():
            play()
            self.browser.press("n")
            self.browser.one("dialog[open]")
        def help_dialog():
            play()
            self.browser.press("?")
            self.browser.one("dialog[open]")
        def training():
            self.open("training")
            wait_for("the games", lambda: self.browser.count("#training .viewer .move"))
        def checkpoints():
            self.open("checkpoints")
            wait_for("the list", lambda: self.browser.count(".checkpoints tbody tr"))
            self.button("Compare")
            wait_for("both thoughts", lambda: self.browser.count(".thought") == 2)
        return {view.__name__: view for view in (play, evaluation, finished, choice, new_game, help_dialog, training, checkpoints)}

    def test_every_view_fits_in_both_widths_and_themes(self):
        os.makedirs(SHOTS, exist_ok=True)
        for name, show in self.views().items():
            self.forget()
            self.browser.size(*SIZES[0])
            show()
            for width, height in SIZES:
                self.browser.size(width, height)
                for theme in ("light", "dark"):
                    self.browser.media(prefers_color_scheme=theme, prefers_reduced_motion="reduce")
                    with self.subTest(view=name, width=width, theme=theme):
                        self.browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width, "nothing reaches beyond the screen")
                        self.assertEqual(self.browser.run(CONTRAST), [])
                        tall = min(TALLEST, max(height, self.browser.run("return document.documentElement.scrollHeight")))
                        path = os.path.join(SHOTS, f"{name}-{width}-{theme}.png")
                        self.browser.screenshot(path, tall)
                        self.assertGreater(os.path.getsize(path), 10000, "a picture with something on it")

    def test_the_smallest_phone_has_pits_for_fingers(self):
        self.browser.size(360, 640)
        self.game()
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        sizes = self.browser.run("return [...document.querySelectorAll('#play .pit')].map((pit) => pit.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height))")
        self.assertGreaterEqual(min(sizes), 44)

    def test_the_theme_can_be_chosen_and_stays(self):
        page = "return getComputedStyle(document.body).backgroundColor"
        self.open()
        light = self.browser.run(page)
        self.browser.click("#theme")  # automatic -> light
        self.browser.click("#theme")  # -> dark
        dark = self.browser.run(page)
        self.assertNotEqual(light, dark)
        self.browser.reload()
        self.browser.one("#play h1")
        self.assertEqual(self.browser.run(page), dark)
        self.assertEqual(self.browser.attribute("#theme", "aria-label"), "Theme: dark")

    def test_names_headings_and_landmarks_are_in_order(self):
        for view in ("play", "training", "checkpoints"):
            self.open(view)
            wait_for("content", lambda: self.browser.count(f"#{view} h2"))
            levels = self.browser.run("return [...document.querySelectorAll('main :is(h1, h2, h3)')].filter((heading) => heading.checkVisibility()).map((heading) => Number(heading.tagName[1]))")
            self.assertEqual(levels[0], 1)
            self.assertTrue(all(later <= earlier + 1 for earlier, later in zip(levels, levels[1:])), levels)
            unnamed = self.browser.run("""return [...document.querySelectorAll("button, a, input, select, textarea")].filter((element) => element.checkVisibility())
                .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length)).map((element) => element.outerHTML.slice(0, 80))""")
            self.assertEqual(unnamed, [])
        self.assertEqual([self.browser.count(mark) for mark in ("header", "nav[aria-label]", "main", '[aria-live="polite"]#announcer')], [1, 1, 1, 1])

    def test_a_focus_can_be_seen(self):
        self.browser.open(self.server.address)
        self.browser.one("#play h1")
        self.browser.press("Tab")
        seen = self.browser.run("return document.activeElement.className")
        self.assertEqual(seen, "skip")
        for _ in range(12):
            self.browser.press("Tab")
            outline = self.browser.run("const style = getComputedStyle(document.activeElement); return document.activeElement === document.body ? null : style.outlineStyle + ' ' + parseFloat(style.outlineWidth)")
            self.assertIn(outline, (None, "solid 3", "solid 4"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
