"""The views of a run: curves, recorded games, configuration; checkpoints, a comparison, a match."""

import time
import unittest

from page import PageTest, wait_for


class Training(PageTest):
    def setUp(self):
        super().setUp()
        self.open("training")
        wait_for("the charts", lambda: self.browser.count("#training .curve") >= 6)

    def points(self, title):
        """Vertices of the first curve in the chart of that title."""
        return self.browser.run("""const chart = [...document.querySelectorAll("#training .chart")].find((figure) => figure.querySelector("h3").textContent === arguments[0]);
            return chart ? chart.querySelector(".curve").getAttribute("d").slice(1).split("L").map((point) => point.split(" ").map(Number)) : null""", title)

    def test_the_curves_of_the_run_are_drawn(self):
        curves = self.server.get("training")["curves"]
        for title, name in (("Strength", "elo"), ("Loss", "policy_divergence"), ("Self-play", "simulations_per_second")):
            drawn, told = self.points(title), curves[name]
            self.assertEqual(len(drawn), len(told), title)
            # Up on the screen is up in the value, and the iterations go to the right.
            rises = [later[1] > earlier[1] for earlier, later in zip(told, told[1:]) if later[1] != earlier[1]]
            climbs = [later[1] < earlier[1] for (earlier, later), (a, b) in zip(zip(drawn, drawn[1:]), zip(told, told[1:])) if b[1] != a[1]]
            self.assertEqual(climbs, rises, title)
            self.assertEqual(drawn, sorted(drawn, key=lambda point: point[0]), title)

    def test_the_newest_values_stand_beside_the_names(self):
        newest = self.server.get("training")["curves"]["elo"][-1]
        self.assertIn(f"{round(newest[1]):,}", self.browser.text("#training .chart .legend"))

    def test_recorded_games_are_stepped_through(self):
        wait_for("the games", lambda: self.browser.count("#training .game") > 1 and self.browser.count("#training .viewer .move"))
        games = self.server.get("games?count=20")["games"]
        record = games[1]
        self.browser.click("#training .game:nth-child(2)")
        wait_for("its moves", lambda: self.browser.count("#training .viewer .move") == len(record["plies"]))
        self.browser.click('#training .viewer [aria-label="One move on"]')
        state = self.server.post("game", {key: record[key] for key in ("rules", "start", "moves")})
        first = state["plies"][0]["after"].split("-")[:12]
        wait_for("the first move", lambda: self.shown() == first)
        self.browser.click('#training .viewer [aria-label="Last position"]')
        wait_for("the result", lambda: "South" in self.browser.text("#training .viewer .status") and "North" in self.browser.text("#training .viewer .status"))

    def shown(self):
        labels = self.browser.run("""return Object.fromEntries([...document.querySelectorAll("#training .viewer .pit")].map((pit) => pit.getAttribute("aria-label").split(", ")).map(([pit, seeds]) => [pit.at(-1), seeds.split(" ")[0]]))""")
        return [labels[letter] for letter in "ABCDEFabcdef"]

    def test_the_configuration_is_shown(self):
        words = self.browser.text("#training .configuration")
        for part in ("network", "width", "64", "selfplay", "simulations", "16"):
            self.assertIn(part, words)


class Checkpoints(PageTest):
    def setUp(self):
        super().setUp()
        self.game(moves="FfE")
        self.open("checkpoints")
        wait_for("the list", lambda: self.browser.count(".checkpoints tbody tr"))

    def test_they_are_listed_with_their_strength(self):
        told = self.server.get("checkpoints")["checkpoints"]
        self.assertEqual(self.browser.count(".checkpoints tbody tr"), len(told))
        for entry in told:
            row = self.browser.run("return [...document.querySelectorAll('.checkpoints tbody tr')].find((row) => row.querySelector('th').firstChild.textContent === arguments[0])?.textContent", entry["name"])
            self.assertIsNotNone(row)
            if entry["elo"] is not None:
                self.assertIn(f"{round(entry['elo']):,} ± {round(entry['elo_error_95']):,}", row)
        self.assertEqual(self.browser.count(".badge.best"), sum(entry["best"] for entry in told))

    def test_two_are_compared_on_the_position_of_the_game(self):
        self.button("Compare")
        wait_for("both thoughts", lambda: self.browser.count(".thought") == 2)
        told = self.server.get("checkpoints")["checkpoints"]
        names = [next(entry["name"] for entry in told[-2::-1] if entry["elo"] is not None), told[-1]["name"]]  # the newest, and the last one before it whose strength is known
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.thought h3')].map((title) => title.textContent)"), [f"A: {names[-1]}", f"B: {names[-2]}"])
        legal = self.server.post("game", {"rules": "abapa", "start": None, "moves": "FfE"})["legal"]
        self.assertEqual(self.browser.count(".thought:first-child .policies li"), len(legal))

    def test_a_position_that_is_none_is_refused_in_place(self):
        self.expected_console = ("400",)
        self.browser.type("#compare-position", "1-2-3")
        self.button("Compare")
        wait_for("the reason", lambda: "1-2-3" in self.browser.text("#checkpoints .problem"))

    def test_a_match_is_played_to_its_result(self):
        self.browser.clear("#match-games")
        self.browser.type("#match-games", "4")
        self.browser.clear("#match-visits")
        self.browser.type("#match-visits", "8")
        self.button("Start match")
        wait_for("the end of the match", lambda: "4 of 4 games, finished" in self.browser.text(".match"))
        told = self.server.get("match")["match"]
        self.assertEqual(told["wins"] + told["draws"] + told["losses"], 4)
        self.assertIn(f"A wins{told['wins']}Draws{told['draws']}B wins{told['losses']}", self.browser.text(".match"))

    def test_what_is_wrong_with_a_match_stays_in_sight(self):
        self.expected_console = ("400",)
        self.browser.clear("#match-games")
        self.browser.type("#match-games", "5")
        self.button("Start match")
        wait_for("the complaint", lambda: "even number" in self.browser.text("#checkpoints"))
        time.sleep(2.5)  # the page has looked for the match again by then
        self.assertIn("even number", self.browser.text("#checkpoints"))
        self.browser.clear("#match-games")
        self.browser.type("#match-games", "2")
        self.button("Start match")
        wait_for("the end of the match", lambda: "2 of 2 games, finished" in self.browser.text(".match"))
        self.assertNotIn("even number", self.browser.text("#checkpoints"))

    def test_a_match_can_be_stopped(self):
        self.browser.clear("#match-games")
        self.browser.type("#match-games", "1000")
        self.browser.clear("#match-visits")
        self.browser.type("#match-visits", "5000")
        self.button("Start match")
        self.button("Stop match")
        wait_for("the word", lambda: "stopped" in self.browser.text(".match"))
        self.assertFalse(self.server.get("match")["match"]["running"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
