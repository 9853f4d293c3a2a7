"""Other rule sets: a capture that may be declined, a slam that keeps the turn, more seeds, chosen in the dialog."""

import unittest

from page import PageTest, wait_for

DECLINABLE = "4-0-0-0-0-2-1-1-3-0-0-0-18-19-S"  # F may capture two and two
SLAM = "4-0-0-0-0-2-1-1-0-0-0-0-20-20-S"        # F captures all that North has


class OtherRules(PageTest):
    def test_a_capture_is_made_or_declined(self):
        self.game(rules="awale", start=DECLINABLE)
        legal = [entry["move"] for entry in self.server.post("game", {"rules": "awale", "start": DECLINABLE, "moves": ""})["legal"]]
        self.assertIn("F-", legal, "the position this test stands on")
        self.pit("F")
        self.browser.one(".capture-choice")
        self.assertEqual(self.moves(), "", "nothing is played before the choice")
        self.button("Leave them")
        self.wait_moves("F-")
        self.assertEqual(self.browser.count(".capture-choice"), 0)
        self.assertEqual(self.seeds()[6:8] + self.seeds()[12:], [2, 2, 18, 19])
        self.button("Take back")
        self.wait_moves("")
        self.pit("F")
        self.button("Capture 4")
        self.wait_moves("F")
        self.assertEqual(self.seeds()[12], 22)
        self.assertIn("captured 4 seeds", self.browser.text("#announcer"))

    def test_the_choice_by_keys(self):
        self.game(rules="awale", start=DECLINABLE)
        self.browser.press("f")
        self.browser.one(".capture-choice")
        self.browser.press("Escape")
        wait_for("no choice", lambda: not self.browser.count(".capture-choice"))
        self.assertEqual((self.moves(), self.browser.run("return document.activeElement.dataset.pit")), ("", "F"))
        self.browser.press("f")
        self.browser.one(".capture-choice")
        self.browser.press("-")
        self.wait_moves("F-")

    def test_rules_that_the_network_never_saw_are_said(self):
        self.game(rules="awale")
        wait_for("the remark", lambda: self.browser.text(".remark") == "The network was trained on abapa alone: under awale it guesses.")
        self.game()
        wait_for("no remark", lambda: self.browser.text(".remark") == "")

    def test_a_pit_without_a_choice_asks_nothing(self):
        self.game(rules="awale", start=DECLINABLE)
        self.pit("A")
        self.wait_moves("A")

    def test_a_slam_that_nothing_can_follow_ends_the_game(self):
        self.game(rules="warri", start=SLAM)
        self.pit("F")
        self.wait_status("South wins, 28 : 20")  # the four in A cannot feed, and are South's
        self.assertEqual(self.seeds(), [0] * 12 + [28, 20])
        self.assertIn("No move is left", self.browser.text(".notice.finished"))

    def test_after_a_slam_the_same_side_moves_again(self):
        start = "0-0-0-0-9-2-1-1-0-0-0-0-17-18-S"
        self.game(rules="warri", start=start)
        self.pit("F")
        self.wait_status("South to move again: the slam keeps the turn")
        self.assertEqual(self.legal(), ["E"])
        self.pit("E")
        self.wait_moves("FE")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#play .moves li')].map((row) => row.children[0].textContent)"), ["F+4", "E"])
        self.assertEqual(self.legal(), [letter for letter in "abcdef" if self.label(letter).split(", ")[1] != "0 seeds"])

    def test_against_the_engine_the_second_move_is_yours_too(self):
        self.game(rules="warri", start="0-0-0-0-9-2-1-1-0-0-0-0-17-18-S", players={"S": "you", "N": "engine"})
        self.pit("F")
        self.wait_status("Your move again")
        self.pit("E")
        wait_for("the engine's answer", lambda: len(self.moves()) >= 3)
        self.assertTrue(self.moves()[2].islower())

    def test_rules_are_chosen_in_the_dialog(self):
        self.game()
        self.browser.press("n")
        self.browser.click('input[name="seats"][value="you-you"]')
        self.browser.click('#rule-set option[value="short"]')
        self.browser.click(".new-game summary")
        self.browser.click('#option-laps option[value="two"]')
        self.browser.click('.new-game button[type="submit"]')
        wait_for("six seeds a pit", lambda: self.seeds() == [6] * 12 + [0, 0])
        self.assertEqual(self.stored()["rules"], "short,laps=two")
        self.assertEqual(self.browser.count("#play .seed"), 72)
        self.pit("A")
        self.wait_moves("A")
        expected = self.server.post("game", {"rules": "short,laps=two", "start": None, "moves": "A"})
        wait_for("the board after two laps", lambda: self.seeds() == expected["pits"] + expected["stores"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
