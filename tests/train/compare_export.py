"""Exported files against what LibTorch made of the same weights.

    compare_export.py FOLDER

FOLDER holds model.onnx, model.safetensors, tokens (int32 [positions, 35]) and expected (float32 [positions, all outputs side by side]). Prints the greatest difference for each size of
the batch, and how the files describe themselves.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from safetensors import safe_open
from safetensors.numpy import load_file

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "docs" / "examples"))
from network_numpy import network

folder = pathlib.Path(sys.argv[1])
heads = {"policy": 12, "wdl": 3, "margin": 1, "margin_classes": 145, "plies_left": 1}
tokens = np.fromfile(folder / "tokens", dtype=np.int32).reshape(-1, 35)
expected = np.fromfile(folder / "expected", dtype=np.float32).reshape(len(tokens), sum(heads.values()))


def difference(outputs):
    for name, count in heads.items():
        assert outputs[name].size == len(tokens) * count, (name, outputs[name].shape)
    got = np.concatenate([outputs[name].reshape(len(tokens), count) for name, count in heads.items()], axis=1)
    assert np.isfinite(got).all()
    return float(np.abs(got - expected).max())


model = onnx.load(folder / "model.onnx")
onnx.checker.check_model(model, full_check=True)
inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
untyped = {output for node in model.graph.node for output in node.output} - {value.name for value in [*inferred.graph.value_info, *inferred.graph.output]}
assert not untyped, untyped

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])


def run(batch):
    parts = [session.run(list(heads), {"tokens": tokens[first : first + batch]}) for first in range(0, len(tokens), batch)]
    assert all(len(output) == len(part[0]) <= batch for part in parts for output in part)
    return {name: np.concatenate([part[place] for part in parts]) for place, name in enumerate(heads)}


def ports(values):
    types = {"tensor(float)": "float32", "tensor(int32)": "int32"}
    return [{"name": value.name, "shape": value.shape, "type": types[value.type]} for value in values]


weights = load_file(folder / "model.safetensors")
with safe_open(folder / "model.safetensors", "numpy") as file:
    metadata = file.metadata()
print(json.dumps({
    "positions": len(tokens),
    "onnx": {str(batch): difference(run(batch)) for batch in (1, 2, 17, 256)},
    "safetensors": difference(network(weights, tokens)),
    "tensors": {name: list(tensor.shape) for name, tensor in weights.items()},
    "inputs": ports(session.get_inputs()),
    "outputs": ports(session.get_outputs()),
    "onnx_metadata": session.get_modelmeta().custom_metadata_map,
    "safetensors_metadata": metadata,
}))
