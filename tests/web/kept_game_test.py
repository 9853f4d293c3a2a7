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


if __name__ == "__main__":
    unittest.main(verbosity=2)
