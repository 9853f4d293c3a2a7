"""What the browser keeps of a game, and what could harm it: a key at the wrong moment, impatient clicks, damaged storage."""

import json
import unittest

from page import PageTest, wait_for

AGAINST_THE_ENGINE = {"players": {"S": "you", "N": "engine"}, "strength": "First steps"}


class KeptGame(PageTest):
    def store(self, value):
        """Puts a text where the game is kept, and opens the page with it."""
        self.open()
        self.browser.run("localStorage.setItem('wari.game', arguments[0])", value)
        self.open()

    def test_only_two_engines_can_be_paused(self):
        self.game(**AGAINST_THE_ENGINE)
        self.browser.press("p")
        self.pit("F")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.game(moves="F", paused=True, **AGAINST_THE_ENGINE)  # as it may be stored already
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.game(players={"S": "engine", "N": "engine"}, paused=True)
        self.wait_status("Paused")
        self.browser.press("p")
        wait_for("some moves", lambda: len(self.moves()) >= 2)

    def test_impatient_clicks_after_a_failed_start_do_not_stop_the_engine(self):
        self.expected_console = ("ERR_BLOCKED_BY_CLIENT",)
        self.game(moves="F", players={"S": "you", "N": "you"})
        self.browser.run("localStorage.setItem('wari.game', JSON.stringify({ ...JSON.parse(localStorage.getItem('wari.game') ?? '{}'), ...arguments[0] }))",
                         {"rules": "abapa", "moves": "F", "players": {"S": "you", "N": "engine"}, "strength": "Full strength"})
        self.browser.devtools("Network.enable")
        self.browser.devtools("Network.setBlockedURLs", urls=["*/api/*"])
        self.addCleanup(self.browser.devtools, "Network.setBlockedURLs", urls=[])
        self.open()
        wait_for("the notice", lambda: "does not answer" in self.browser.text(".notice.failed"))
        self.browser.devtools("Network.setBlockedURLs", urls=[])
        self.browser.run("""const again = document.querySelector(".notice.failed button"), asked = window.fetch;
            let starts = 0;
            window.fetch = (address, ...rest) => asked(address, ...rest).then((answer) => {
              // A second start would get so far while the first one's search is under way.
              return String(address).endsWith("/about") && ++starts === 2 ? new Promise((resolve) => setTimeout(() => resolve(answer), 500)) : answer;
            });
            again.click();
            again.click();""")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())


if __name__ == "__main__":
    unittest.main(verbosity=2)
