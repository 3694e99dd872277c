"""Makes the traces of this folder: the gallery's mlp and lenet, run by PyTorch and ONNX Runtime.

python3 make.py    needs torch, onnx and onnxruntime; three runs each, with one thread
"""
import json
import os
import sys
import tempfile

import numpy
import onnxruntime
import torch
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import temporary_folder  # noqa: E402

torch.set_num_threads(1)
torch.manual_seed(1)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.layers(x)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0 = nn.Conv2d(1, 20, 5)
        self.conv1 = nn.Conv2d(20, 50, 5)
        self.dense0 = nn.Linear(800, 500)
        self.dense1 = nn.Linear(500, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.tanh(self.conv0(x)), 2, 2)
        x = torch.max_pool2d(torch.tanh(self.conv1(x)), 2, 2)
        x = torch.tanh(self.dense0(torch.flatten(x, 1)))
        return torch.softmax(self.dense1(x), -1)


def write(name, events):
    """Keeps what says when which operator ran; the rest is large."""
    kept = []
    for event in events:
        arguments = event.get("args") or {}
        small = {key: event[key] for key in ("ph", "cat", "name", "pid", "tid", "ts", "dur") if key in event}
        if "op_name" in arguments:
            small["args"] = {"op_name": arguments["op_name"]}
        if event["ph"] == "X":
            small["pid"] = small["tid"] = 1
            kept.append(small)
    base = min(event["ts"] for event in kept)
    for event in kept:
        event["ts"] = round(event["ts"] - base, 3)
    with open(name, "w") as file:
        file.write('{"traceEvents": [\n' + ",\n".join(json.dumps(event) for event in kept) + "\n]}\n")


temporary_folder.use()
for name, net, shape in (("mlp", Mlp(), (32, 784)), ("lenet", LeNet(), (8, 1, 28, 28))):
    net.eval()
    x = torch.randn(*shape)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        net(x)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            for _ in range(3):
                net(x)
        profile.export_chrome_trace(folder + "/torch.json")
        with open(folder + "/torch.json") as file:
            write(f"torch-{name}.json", json.load(file)["traceEvents"])

        torch.onnx.export(net, (x,), folder + "/net.onnx", dynamo=False)
        options = onnxruntime.SessionOptions()
        options.enable_profiling = True
        options.intra_op_num_threads = 1
        options.profile_file_prefix = folder + "/ort"
        session = onnxruntime.InferenceSession(folder + "/net.onnx", options)
        for _ in range(3):
            session.run(None, {session.get_inputs()[0].name: numpy.asarray(x)})
        path = session.end_profiling()
        with open(path) as file:
            write(f"onnxruntime-{name}.json", json.load(file))
        os.remove(path)
