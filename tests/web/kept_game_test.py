"""What the browser keeps of a game, and what could harm it: a key at the wrong moment, impatient clicks, damaged storage."""

import json
import time
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

    def test_damaged_storage_begins_a_new_game_or_loses_what_is_damaged(self):
        damaged = [None, 7, [], "x", {"players": None}, {"players": {"S": "you"}}, {"players": {"S": "you", "N": 3}}, {"rules": 5}, {"rules": None}, {"start": 3}, {"moves": None}, {"moves": 7},
                   {"agreed": {}}, {"agreed": True}, {"agreed": {"stores": [1], "winner": "S", "sweeps": []}}, {"agreed": {"stores": [1, 2], "winner": "S", "sweeps": [3]}}, {"strength": {}},
                   {"quietUntil": "x"}, {"tags": [3]}, {"tags": {"Event": 3}}, {"paused": 3}]
        for value in damaged:
            with self.subTest(value=value):
                self.store(json.dumps(value))
                wait_for("a board", lambda: self.label("A") and self.legal() == list("ABCDEF") and self.status() == "Your move")
                self.button("New game")
                wait_for("the dialog", lambda: self.browser.count("dialog[open]"))
        self.store('{"moves": "F')
        wait_for("a board", lambda: self.label("A") and self.legal() == list("ABCDEF"))
        self.store(json.dumps({"moves": "Ff", "players": {"S": "you", "N": "you"}, "agreed": {}, "tags": 3}))
        wait_for("the moves", lambda: self.browser.count("#play .move") == 2 and self.legal())

    def test_a_game_that_the_server_refuses_can_be_left(self):
        self.expected_console = ("400",)
        for value in [{"rules": "nonsense"}, {"rules": "abapa,laps=seven,"}, {"start": "4-4"}, {"moves": "AAAA"}, {"rules": "", "strength": "nobody"}]:
            with self.subTest(value=value):
                self.store(json.dumps(value))
                wait_for("the reason", lambda: self.browser.text(".notice.failed strong"))
                self.button("New game")
                self.browser.clear("#start-position")
                self.browser.click('input[name="seats"][value="you-you"]')
                self.browser.click('.new-game button[type="submit"]')
                wait_for("a board", lambda: self.label("A") and self.legal() == list("ABCDEF") and not self.browser.count(".notice.failed"))

    def test_a_game_goes_on_when_the_server_stopped_while_the_engine_thought(self):
        self.expected_console = ("503", "ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
        self.game(players={"S": "you", "N": "engine"}, strength="Full strength")
        self.pit("F")
        self.wait_status("thinking")
        time.sleep(0.5)
        self.server.stop()
        wait_for("the notice", lambda: "Your game is safe here" in self.browser.text(".notice.failed"))
        self.server.start()
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.assertEqual(self.browser.count(".notice.failed"), 0)

    def load_text(self, text):
        self.browser.press("l")
        self.browser.clear("#ogn-text")
        self.browser.run("document.querySelector('#ogn-text').value = arguments[0]", text)
        self.button("Read")
        wait_for("the dialog to close", lambda: not self.browser.count("dialog[open]"))
        self.settled()

    def saved_text(self):
        self.browser.run("""window.saved = null;
            const made = URL.createObjectURL;
            URL.createObjectURL = (blob) => (blob.text().then((text) => (window.saved = text)), made(blob));""")
        self.browser.press("s")
        return wait_for("the file", lambda: self.browser.run("return window.saved"))

    def test_the_engine_goes_on_with_a_loaded_game(self):
        self.game()
        self.button("Load")
        self.browser.run("document.querySelector('#ogn-seats').value = 'you-engine'")
        self.browser.clear("#ogn-text")
        self.browser.run("document.querySelector('#ogn-text').value = arguments[0]", "1. F f 2. E")
        self.button("Read")
        wait_for("the engine's answer", lambda: len(self.stored()["moves"]) == 4)
        self.assertEqual(self.stored()["players"], {"S": "you", "N": "engine"})

    def test_what_a_file_says_beside_the_moves_is_saved_again(self):
        self.game()
        self.load_text('[Event "Club"]\n[Result "25-20"]\n[Ended "resigned"]\n\n{before it} 1. F! $1 {first} f (1... e 2. F) 2. E {second} 25-20')
        self.wait_status("South wins, 25 : 20")
        self.assertIn("North resigned", self.browser.text(".notice.finished"))
        self.open()
        self.wait_status("South wins, 25 : 20")
        saved = self.saved_text()
        for part in ('[Event "Club"]', '[Result "25-20"]', '[Ended "resigned"]', "{ before it }", "F ! $1 { first }", "(1... e 2. F)", "E { second }"):
            self.assertIn(part, saved)
        self.button("Take back")
        wait_for("the game to go on", lambda: self.legal() == list("abcde"))
        self.pit("e")
        self.wait_moves("FfEe")
        saved = self.saved_text()
        for part in ('[Result "*"]', "E { second }"):
            self.assertIn(part, saved)
        self.assertNotIn("Ended", saved)
        self.browser.press("u", "u")
        self.wait_moves("Ff")
        self.assertNotIn("second", self.saved_text())

    def test_the_result_of_an_ended_game_is_the_files(self):
        self.game()
        self.load_text('[Ended "limit"]\n[Result "30-18"]\n\n1. F f')
        self.wait_status("South wins, 30 : 18")
        self.assertIn('[Result "30-18"]', self.saved_text())
        self.load_text('[Ended "limit"]\n[Result "24-24"]\n\n1. F f')
        self.wait_status("A draw, 24 : 24")
        self.assertIn('[Result "24-24"]', self.saved_text())
        self.load_text('[Result "1-0"]\n\n1. F f')
        self.assertIn('[Result "1-0"]', self.saved_text())

    def other_tab(self):
        """A second tab with the same game, closed at the end; gives both."""
        first, second = self.browser.tab(), self.browser.new_tab()

        def close():
            self.browser.switch(second)
            self.browser.close_tab()
            self.browser.switch(first)
        self.addCleanup(close)
        self.browser.switch(second)
        self.open()
        self.settled()
        return first, second

    def test_a_second_tab_loses_no_moves_of_the_first(self):
        self.game(moves="F")
        first, second = self.other_tab()
        self.pit("f")
        self.wait_moves("Ff")
        self.pit("E")
        self.wait_moves("FfE")
        self.browser.switch(first)
        wait_for("the moves of the other tab", lambda: self.browser.count("#play .move") == 3 and self.legal() == list("abcde"))
        self.pit("a")
        self.wait_moves("FfEa")
        self.browser.switch(second)
        wait_for("the move of the first tab", lambda: self.browser.count("#play .move") == 4)
        self.button("Take back")
        self.wait_moves("FfE")
        self.browser.switch(first)
        wait_for("the shorter game", lambda: self.browser.count("#play .move") == 3)
        self.browser.run("localStorage.clear()")
        self.browser.switch(second)
        self.assertEqual(self.browser.count("#play .move"), 3, "a cleared storage is no other game")

    def test_one_tab_alone_asks_the_engine(self):
        self.game(**AGAINST_THE_ENGINE)
        first, second = self.other_tab()
        self.pit("F")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.browser.switch(first)
        wait_for("the moves of the other tab", lambda: self.browser.count("#play .move") == 2 and self.legal())
        stored = json.dumps({**self.stored(), "moves": "F"})
        self.browser.switch(second)
        self.browser.run("localStorage.setItem('wari.game', arguments[0])", stored)  # as if this tab waited for its engine
        self.browser.switch(first)
        wait_for("the notice", lambda: "goes on in another tab" in self.browser.text(".notice.elsewhere"))
        time.sleep(0.5)
        self.assertEqual(self.moves(), "F")
        self.button("Go on here")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.assertEqual(self.browser.count(".notice.elsewhere"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
