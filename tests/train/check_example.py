"""docs/examples/play_onnx.py against the engine.

    check_example.py POSITIONS GAMES

POSITIONS: a JSON object a line with a position, its tokens and its legal actions. GAMES: tests/data/rules/games.jsonl. Prints how many of each agreed.
"""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "docs" / "examples"))
import play_onnx

positions = 0
for line in open(sys.argv[1]):
    case = json.loads(line)
    got = play_onnx.tokens_of(case["model"], case["pits"], case["stores"], case["quiet"])
    assert got == case["tokens"], (case, got)
    got = play_onnx.legal_actions(case["model"]["options"], case["pits"])
    assert sorted(got) == case["legal"], (case, got)
    positions += 1

games = 0
for line in open(sys.argv[2]):
    case = json.loads(line)
    game = play_onnx.Game(case["rules"])
    if "ended" in case or "-".join(map(str, game.pits + game.stores)) + "-S" != case["start"]:
        continue
    for move in re.findall("[A-Fa-f]-?", case["moves"]):
        assert game.end is None, (case, game.end)
        assert move[0].isupper() == game.south, (case, move)
        action = "abcdef".index(move[0].lower()) + 6 * move.endswith("-")
        assert action in play_onnx.legal_actions(game.rules, game.pits), (case, move)
        game.play(action)
    assert game.end is not None, case
    assert game.final_stores() == case["stores"], (case, game.end, game.final_stores())
    games += 1
print(json.dumps({"positions": positions, "games": games}))
