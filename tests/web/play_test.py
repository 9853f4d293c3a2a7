"""Whole games by clicks and by keys, take back, hint, reload, OGN, errors, looking back, a circling game."""

import os
import time
import unittest

from page import PageTest, wait_for


class Play(PageTest):
    def new_game(self, seats, strength=0):
        self.button("New game")
        self.browser.click(f'input[name="seats"][value="{seats}"]')
        strengths = self.server.get("about")["strengths"]
        self.browser.click(f'input[name="strength"][value="{strengths[strength]["name"]}"]')
        self.browser.click('.new-game button[type="submit"]')
        wait_for("the dialog to close", lambda: not self.browser.count("dialog[open]"))
        self.settled()

    def best(self):
        return self.server.post("think", {**self.request(), "visits": 1200})["best"]

    def request(self):
        return {key: self.stored()[key] for key in ("rules", "start", "moves")}

    def over(self):
        return bool(self.browser.count(".notice.finished"))

    def my_turn(self, side):
        letters = "ABCDEF" if side == "S" else "abcdef"
        wait_for("my turn", lambda: self.over() or (self.legal() or "-")[0] in letters)

    def win(self, seats, side, play):
        """Plays the engine's best moves against the weakest strength; three games, should chance win one."""
        self.open()
        for _ in range(3):
            self.new_game(seats)
            while True:
                self.my_turn(side)
                if self.over():
                    break
                before = self.moves()
                play(self.best())
                wait_for("my move to be played", lambda: len(self.moves()) > len(before))
            if "You win" in self.status():
                return
        self.fail(f"three games against the weakest engine and none won: {self.browser.text('.notice.finished')}")

    def test_a_whole_game_is_won_by_clicks(self):
        self.win("you-engine", "S", lambda move: self.pit(move[0]))
        final = self.server.post("game", self.request())
        self.assertTrue(final["over"])
        self.assertEqual(final["result"]["winner"], "S")
        self.assertEqual(self.seeds()[12], final["result"]["south"])
        self.assertIn("You win", self.browser.text("#announcer"))

    def test_a_whole_game_is_won_by_keys(self):
        self.game()
        self.browser.press("n")
        self.browser.one("dialog[open]")
        self.browser.press("Escape")
        self.win("engine-you", "N", lambda move: self.browser.press(move[0].lower()))
        self.assertEqual(self.server.post("game", self.request())["result"]["winner"], "N")

    def test_arrows_and_enter_play_a_pit(self):
        self.game()
        self.browser.run("document.querySelector('#play button.pit[data-pit=\"A\"]').focus()")
        self.browser.press("Right", "Right")
        self.assertEqual(self.browser.run("return document.activeElement.getAttribute('aria-label')"), "pit C, 4 seeds, legal")
        self.browser.press("Up")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.pit"), "d")
        self.browser.press("Down", "Enter")
        self.wait_moves("C")
        wait_for("North to move", lambda: self.legal() == list("abcdef"))
        self.assertEqual(self.seeds(), [4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0])

    def test_moves_and_captures_are_spoken(self):
        self.game(start="3-0-0-0-0-2-1-1-3-0-0-0-18-20-S")
        self.assertEqual(self.label("F"), "pit F, 2 seeds, legal")
        self.pit("F")
        wait_for("the announcement", lambda: "South played F, captured 4 seeds. North to move" in self.browser.text("#announcer"))
        self.assertEqual(self.seeds()[12], 22)

    def test_no_click_is_lost_while_seeds_move(self):
        self.browser.media(prefers_color_scheme="light", prefers_reduced_motion="no-preference")
        self.game()
        self.browser.run("""const pit = (letter) => document.querySelector(`#play button.pit[data-pit="${letter}"]`);
            for (const letter of "FfEeDd") pit(letter).click();""")
        self.wait_moves("FfEeDd")
        expected = self.server.post("game", self.request())
        wait_for("the last position", lambda: self.seeds() == expected["pits"] + expected["stores"])
        wait_for("the drawing", lambda: self.drawn() == expected["pits"] + expected["stores"])

    def drawn(self):
        return self.browser.run("return [...document.querySelectorAll('#play .count')].map((text) => Number(text.textContent))")

    def test_seeds_are_sown_one_by_one(self):
        self.browser.media(prefers_color_scheme="light", prefers_reduced_motion="no-preference")
        self.game()
        self.browser.run("""window.seen = [];
            new MutationObserver(() => window.seen.push([...document.querySelectorAll('#play .count')].map((text) => Number(text.textContent)).join(" ")))
              .observe(document.querySelector("#play .words"), { childList: true, subtree: true, characterData: true });""")
        self.pit("D")
        after = [4, 4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 0, 0]
        wait_for("the end of the sowing", lambda: self.drawn() == after and not self.browser.run("return document.querySelector('#play .seed').getAnimations().length"))
        between = "4 4 4 0 5 5 4 4 4 4 4 4 0 0"
        self.assertIn(between, self.browser.run("return window.seen"), "two of four seeds are on the board halfway")
        self.assertEqual(self.browser.count("#play .seed"), 48)

    def test_take_back_and_play_again(self):
        self.open()
        self.new_game("you-engine")
        self.pit("F")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        self.button("Take back")
        wait_for("the start", lambda: self.moves() == "" and self.seeds() == [4] * 12 + [0, 0])
        self.assertEqual(self.legal(), list("ABCDEF"))
        self.pit("A")
        wait_for("the other answer", lambda: self.moves().startswith("A") and len(self.moves()) == 2 and self.legal())
        self.browser.press("u")
        self.wait_moves("")

    def test_looking_back_does_not_stop_the_engine(self):
        self.open()
        self.new_game("you-engine", -1)
        self.pit("B")
        wait_for("thinking", lambda: "thinking" in self.status())
        self.browser.press(",")
        time.sleep(4)  # it thinks for three seconds
        self.browser.press(".")
        wait_for("the answer", lambda: len(self.moves()) == 2)

    def test_a_hint_is_marked_and_said(self):
        self.game()
        self.browser.press("h")
        self.wait_status("Hint: ")
        hinted = self.status().removeprefix("Hint: ")[0]
        self.assertIn("hint", self.label(hinted))
        self.assertEqual(self.browser.count("#play .hinted"), 1)

    def test_the_evaluation_stands_on_the_board(self):
        self.game(moves="F")
        self.assertEqual(self.browser.count("#play .ring.shown"), 0)
        self.browser.press("v")
        wait_for("rings", lambda: self.browser.count("#play .ring.shown") == 6)
        self.assertEqual(self.browser.count("#play .note.best"), 1)
        self.assertRegex(self.browser.attribute("#play .value-bar", "aria-label"), r"South wins \d+ %, draw \d+ %, North wins \d+ %")
        self.assertRegex(self.browser.text(".evaluation-body"), r"Expected.*(by [\d.]+|even).*Best line.*Searched[\d,]+ visits")
        wait_for("a deeper search", lambda: "6,400" in self.browser.text(".evaluation-body") or "25,600" in self.browser.text(".evaluation-body") or "proven" in self.browser.text(".evaluation-body"))
        self.browser.press("v")
        wait_for("no rings", lambda: self.browser.count("#play .ring.shown") == 0)

    def test_what_the_endgame_table_knows_is_told(self):
        start = "0-0-0-1-1-1-1-1-0-0-0-1-21-21-S"
        table = self.server.post("think", {"rules": "abapa", "start": start, "moves": "", "visits": 100})["table"]
        self.game(start=start)
        self.browser.press("v")
        wait_for("the table", lambda: self.browser.count(".truth"))
        words = self.browser.text(".truth dd")
        self.assertIn("both sides take the same" if table["value"] == 0 else f"{'South' if table['value'] > 0 else 'North'} takes {abs(table['value'])} more", words)
        self.assertEqual("unless a cycle" in words, not table["exact"])
        for move in table["moves"]:
            sign = "+" if move["value"] > 0 else "−" if move["value"] < 0 else "±"
            self.assertIn(f"table {sign}{abs(move['value'])}", self.label(move["move"]))

    def test_a_reload_in_mid_game_keeps_the_game(self):
        self.open()
        self.new_game("you-engine")
        self.pit("C")
        wait_for("the answer", lambda: len(self.moves()) == 2 and self.legal())
        moves, seeds = self.moves(), self.seeds()
        self.browser.reload()
        self.settled()
        self.assertEqual((self.moves(), self.seeds()), (moves, seeds))
        self.assertEqual(self.browser.count("#play .move"), 2)

    def test_looking_back_and_playing_on_from_there(self):
        self.game(moves="FfEeD")
        self.browser.press(",", ",")
        self.wait_status("move 3 of 5")
        expected = self.server.post("game", {"rules": "abapa", "start": None, "moves": "FfE"})
        self.assertEqual(self.seeds(), expected["pits"] + expected["stores"])
        self.assertEqual(self.legal(), [])
        self.browser.press("Home")
        self.wait_status("move 0 of 5")
        self.assertEqual(self.seeds(), [4] * 12 + [0, 0])
        self.browser.click("#play .moves .move:nth-of-type(1)")
        self.wait_status("move 1 of 5")
        self.button("Play on from here")
        wait_for("the shorter game", lambda: self.moves() == "F" and self.legal() == list("abcdef"))

    def test_a_game_is_saved_and_loaded(self):
        self.game(moves="FfEeD")
        self.browser.press("s")

        def saved():
            return [name for name in os.listdir(self.browser.folder) if name.endswith(".ogn")]
        path = os.path.join(self.browser.folder, wait_for("the file", saved)[0])
        self.game()
        self.browser.press("l")
        self.browser.type("#ogn-file", path)
        self.wait_moves("FfEeD")

    def test_text_that_is_no_game_is_refused_in_place(self):
        self.expected_console = ("400",)
        self.game(moves="Ff")
        self.browser.press("l")
        self.browser.type("#ogn-text", "1. Z e+3 nonsense")
        self.button("Read")
        wait_for("the reason", lambda: self.browser.text("dialog[open] .problem"))
        self.browser.press("Escape")
        self.assertEqual(self.moves(), "Ff")

    def test_a_position_that_is_none_is_refused_in_the_dialog(self):
        self.expected_console = ("400",)
        self.game()
        self.browser.press("n")
        self.browser.type("#start-position", "4-4-4")
        self.browser.click('.new-game button[type="submit"]')
        wait_for("the reason", lambda: "4-4-4" in self.browser.text(".new-game .problem"))
        self.browser.clear("#start-position")
        self.browser.type("#start-position", "0-0-0-0-0-2-1-1-3-0-0-0-20-21-S")
        self.browser.click('.new-game button[type="submit"]')
        wait_for("the position", lambda: self.seeds()[12] == 20)

    def test_a_damaged_game_in_storage_can_be_left(self):
        self.expected_console = ("400",)
        self.open()
        self.browser.run("localStorage.setItem('wari.game', '{\"moves\": \"AAAA\"}')")
        self.open()
        wait_for("the reason", lambda: "illegal" in self.browser.text(".notice.failed"))
        self.new_game("you-you")
        self.assertEqual(self.seeds(), [4] * 12 + [0, 0])
        self.assertEqual(self.browser.count(".notice.failed"), 0)

    def test_a_circling_game_can_be_ended(self):
        start = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S"
        state = {"circling": False, "over": False}
        moves = ""
        while not state["circling"] and not state["over"]:
            state = self.server.post("game", {"rules": "abapa,repetition.occurrences=0", "start": start, "moves": moves})
            if not state["circling"]:
                moves += min(state["legal"], key=lambda entry: entry["captured"])["move"]
        self.assertTrue(state["circling"], "one seed each, far apart: this game goes round")
        self.game(rules="abapa,repetition.occurrences=0", start=start, moves=moves)
        wait_for("the offer", lambda: self.browser.count(".notice.circling"))
        self.button("Play on")
        wait_for("the offer to go", lambda: not self.browser.count(".notice.circling"))
        self.game(rules="abapa,repetition.occurrences=0", start=start, moves=moves)
        self.button("End it")
        self.wait_status("A draw, 24 : 24")
        self.browser.reload()
        self.wait_status("A draw, 24 : 24")

    def test_two_engines_play_and_pause(self):
        self.open()
        self.new_game("engine-engine")
        wait_for("some moves", lambda: len(self.moves()) >= 4)
        self.button("Pause")
        self.wait_status("Paused")
        moves = self.moves()
        time.sleep(0.5)
        self.assertEqual(self.moves(), moves)
        self.button("Go on")
        wait_for("more moves", lambda: len(self.moves()) > len(moves) + 1)

    def test_the_game_goes_on_when_the_server_is_back(self):
        self.expected_console = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
        self.game(moves="Ff")
        self.server.stop()
        self.pit("E")
        wait_for("the notice", lambda: "does not answer" in self.browser.text(".notice.failed"))
        self.assertEqual(self.moves(), "FfE", "the move is kept")
        self.server.start()
        wait_for("the notice to go", lambda: not self.browser.count(".notice.failed"))
        self.assertEqual(self.legal(), list("abcde"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
