"""What the network computes, in numpy, with the weights that `wari export --format safetensors` wrote.

    pip install numpy safetensors

    from safetensors.numpy import load_file
    outputs = network(load_file("model.safetensors"), tokens)      # tokens: integers [batch, 35]
"""
import numpy as np


def relu(x):
    return np.maximum(x, 0)


def affine(weights, name, x):
    weight = weights[name + ".weight"]
    return x @ weight.reshape(len(weight), -1).T + weights[name + ".bias"]


def neighbours(x):
    """The pit before, the pit and the pit after, in a circle: [batch, 12, width] to [batch, 12, 3 width]."""
    return np.concatenate([np.roll(x, 1, 1), x, np.roll(x, -1, 1)], axis=2)


def network(weights, tokens):
    rows, bias = weights["embedding.weight"][tokens], weights["embedding.bias"]  # [batch, 35, width], [width]
    block = 0
    if "blocks.0.weight" in weights:  # mlp: x is [batch, width]
        x = relu(rows.sum(1) + bias)
        while f"blocks.{block}.weight" in weights:
            x = relu(x + affine(weights, f"blocks.{block}", x))
            block += 1
    else:  # conv: x is [batch, 12, width]; a pit sees its own count and capture, and what belongs to no pit
        shared = rows[:, 12:15].sum(1) + rows[:, 27:35].sum(1)
        x = relu(rows[:, 0:12] + rows[:, 15:27] + shared[:, None] + bias)
        while f"blocks.{block}.first.weight" in weights:
            y = relu(affine(weights, f"blocks.{block}.first", neighbours(x)))
            x = relu(x + affine(weights, f"blocks.{block}.second", neighbours(y)))
            block += 1
        x = x.reshape(len(x), -1)
    return {head: affine(weights, head, x) for head in ("policy", "wdl", "margin", "margin_classes", "plies_left")}
