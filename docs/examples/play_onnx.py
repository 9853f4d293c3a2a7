"""A game of the Wari family, played by a network that `wari export --format onnx` wrote.

    pip install numpy onnxruntime
    python play_onnx.py model.onnx [rule set] >game.jsonl      # the rule set: one that the network was trained on; default: the first

A position is the twelve pits in the order of sowing, the mover's six first, and the two stores, the mover's first. The game goes to standard output in the format that
`wari check-rules` verifies.
"""
import collections
import json
import sys

import numpy as np
import onnxruntime


def lap(pits, pit):
    """Sows one pit; returns where the last seed fell."""
    seeds, pits[pit], place = pits[pit], 0, pit
    while seeds:
        place = (place + 1) % 12
        if place != pit:
            pits[place] += 1
            seeds -= 1
    return place


def captured(pits, last):
    """The opponent's pits that a last seed in `last` would capture, that one first."""
    run = []
    while last >= 6 and pits[last] in (2, 3):
        run.append(last)
        last -= 1
    return run


def sow(rules, before, pit):
    """The pits after sowing, the pits that are captured, and whether it is a grand slam. None: there is nothing to sow, or the relay would never end."""
    pits, laps, seen = list(before), rules["laps"], set()
    if not pits[pit]:
        return None
    last = lap(pits, pit)
    if laps == "two" and pits[last] > 1:
        last = lap(pits, last)
    while laps.startswith("relay") and pits[last] > 1 and not (laps == "relay_until_capture" and captured(pits, last)):
        if (last, *pits) in seen:
            return None
        seen.add((last, *pits))
        last = lap(pits, last)
    run = captured(pits, last)
    slam = bool(run) and sum(pits[p] for p in run) == sum(pits[6:])
    if slam:
        kept = {"captures_nothing": [], "spares_last": run[1:], "spares_first": run[:-1]}
        run = kept.get(rules["grand_slam"], run)
    return pits, run, slam


def legal_actions(rules, pits):
    """0 to 5: that pit; 6 to 11: the same with the capture declined."""
    usual, feeding, slams = [], [], []
    for pit in range(6):
        sown = sow(rules, pits, pit)
        if sown is None:
            continue
        after, run, slam = sown
        if slam and rules["grand_slam"] == "forbidden_unless_only":
            slams.append(pit)
        elif not (slam and rules["grand_slam"] == "forbidden"):
            usual.append(pit)
            feeding += [pit] if any(after[6:]) else []
        if run and rules["capture"] == "optional":
            usual.append(pit + 6)
            feeding.append(pit + 6)
    if any(pits[6:]):
        return usual or slams
    return feeding or slams or (usual if rules["no_feeding_move"] == "plays_on" else [])


class Game:
    """From the start position; pits and stores are those of the player to move, whoever that is."""

    def __init__(self, rules):
        self.rules, self.pits, self.stores = rules, [rules["seeds_per_pit"]] * 12, [0, 0]
        self.south, self.quiet, self.end = True, 0, None
        self.seen = collections.Counter([self.place()])  # since the last capture

    def place(self):
        return (self.south, *self.pits)

    def play(self, action):
        rules, slam_rule, repetition = self.rules, self.rules["grand_slam"], self.rules["repetition"]
        pits, run, slam = sow(rules, self.pits, action % 6)
        if action >= 6:
            run, slam = [], False
        gain = sum(pits[p] for p in run)
        self.pits = [0 if p in run else seeds for p, seeds in enumerate(pits)]
        self.stores[0] += gain
        self.quiet = 0 if gain else self.quiet + 1
        if slam and slam_rule in ("forbidden_unless_only", "opponent_takes_rest"):
            self.end = slam_rule
        elif self.stores[0] > 6 * rules["seeds_per_pit"]:
            self.end = "majority"
        if not (slam and slam_rule == "moves_again"):
            self.pits, self.stores, self.south = swap(self.pits), swap(self.stores), not self.south
        if gain:
            self.seen.clear()
        self.seen[self.place()] += 1
        if self.end is None and not legal_actions(rules, self.pits):
            self.end = "no move"
        elif self.end is None and self.quiet == rules["quiet_plies"] > 0:
            self.end = "quiet plies"
        elif self.end is None and 0 < repetition["occurrences"] <= self.seen[self.place()]:
            self.end = "repetition"

    def final_stores(self):
        """South's and North's: who takes what is left in the pits depends on how the game ended."""
        rows = [sum(self.pits[:6]), sum(self.pits[6:])]
        if self.end == "majority":
            rows = [0, 0]
        elif self.end == "opponent_takes_rest":  # that is who is to move now
            rows = [sum(rows), 0]
        elif self.end == "repetition" and self.rules["repetition"]["award"] == "split":
            rows = [sum(rows) / 2] * 2
        stores = [store + row for store, row in zip(self.stores, rows)]
        return stores if self.south else swap(stores)


def swap(both):
    """The same from the other side."""
    return both[len(both) // 2 :] + both[: len(both) // 2]


def capture_value(rules, pits, pit):
    """Seeds that a pit of the player to move would capture; 31: it cannot be sown."""
    sown = sow(rules, pits, pit)
    if sown is None:
        return 31
    after, run, slam = sown
    return 0 if slam and rules["grand_slam"] == "forbidden" else sum(after[p] for p in run)


def tokens_of(model, pits, stores, quiet):
    """What the network reads: a number for each of 27 places, moved to that place's own rows of the table, and 8 tokens of the rule set."""
    rules, limit = model["options"], model["options"]["quiet_plies"]
    values = [min(seeds, 31) for seeds in pits] + stores
    values += [min(16 * quiet // limit, 15) if limit else 0]
    values += [capture_value(rules, side, pit) for side in (pits, swap(pits)) for pit in range(6)]
    return [offset + value for offset, value in zip(model["token_offsets"], values)] + model["rule_tokens"]


def load(file, name=None):
    """The network, and what its metadata says of one rule set."""
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    if (metadata["format_version"], metadata["token_version"]) != ("1", "1"):
        sys.exit(f"{file} is of another version than this program reads")
    sets = {rules["name"]: rules for rules in json.loads(metadata["rules"])}
    if name not in (None, *sets):
        sys.exit(f"{file} was trained on {', '.join(sets)}")
    rules = sets[name or next(iter(sets))]
    return session, {"options": rules["options"], "rule_tokens": rules["tokens"], "token_offsets": json.loads(metadata["token_offsets"])}


def main(file, name=None):
    session, model = load(file, name)
    game, moves = Game(model["options"]), []
    while game.end is None:
        tokens = np.array([tokens_of(model, game.pits, game.stores, game.quiet)], dtype=np.int32)  # [batch, 35]
        policy, wdl = session.run(["policy", "wdl"], {"tokens": tokens})
        action = max(legal_actions(game.rules, game.pits), key=lambda a: policy[0, a])
        win, draw, loss = np.exp(wdl[0]) / np.exp(wdl[0]).sum()
        moves.append(("ABCDEF" if game.south else "abcdef")[action % 6] + "-" * (action >= 6))
        print(f"{moves[-1]:2}  win {win:4.0%}  draw {draw:4.0%}  loss {loss:4.0%}", file=sys.stderr)
        game.play(action)
    start = "-".join([str(game.rules["seeds_per_pit"])] * 12) + "-0-0-S"
    print(json.dumps({"rules": game.rules, "start": start, "moves": "".join(moves), "plies": len(moves), "stores": game.final_stores()}))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
