#!/usr/bin/env python3
"""torch-times.py — the layers of gpu-first-contact.sh in PyTorch on the same GPU, a line of JSON for each.

usage: torch-times.py [--seconds N] [--length T] [--units H…] [--batches B…]

Eager, replayed as a CUDA graph, and for two of them compiled; with TF32 and without. A run is timed as hscope bench does: from the call
to the end of its work, several in a row, and the input and the output are copied, as they are there. Runs end after N seconds. Nobody
has run this on a GPU yet.
SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import itertools
import json
import sys
import time

SAMPLES = 7
SAMPLE_SECONDS = 0.02


def write(row):
    print(json.dumps(row), flush=True)


def sample(torch, run):
    """The median and all samples of the seconds that a run takes; runs in a row share one wait."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    torch.cuda.synchronize()
    runs = max(1, min(1000, int(SAMPLE_SECONDS / max(time.perf_counter() - start, 1e-6))))
    samples = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        for _ in range(runs):
            run()
            torch.cuda.synchronize()
        samples.append((time.perf_counter() - start) / runs)
    return {"median": sorted(samples)[SAMPLES // 2], "seconds": samples}


class Layer:
    """One layer with what a run reads and writes."""

    def __init__(self, torch, cell, units, batch, length, is_training):
        torch.manual_seed(1)
        self.torch, self.is_training = torch, is_training
        kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[cell]
        self.net = kind(units, units).cuda()
        self.sent = torch.rand(length, batch, units).pin_memory()
        self.brought = torch.empty(length, batch, units).pin_memory()
        self.x = torch.empty(length, batch, units, device="cuda")
        self.forward = self.net

    def compute(self):
        if not self.is_training:
            with self.torch.no_grad():
                return self.forward(self.x)[0]
        for parameter in self.net.parameters():
            parameter.grad = None
        y = self.forward(self.x)[0]
        y.backward(self.torch.ones_like(y))
        return y.detach()

    def run(self):
        self.x.copy_(self.sent, non_blocking=True)
        self.brought.copy_(self.compute(), non_blocking=True)

    def eager(self):
        return self.run

    def graph(self):
        """Records everything of a run and replays it."""
        side = self.torch.cuda.Stream()
        side.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(side):
            for _ in range(3):
                self.run()
        self.torch.cuda.current_stream().wait_stream(side)
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            self.run()
        return graph.replay

    def compiled(self):
        self.forward = self.torch.compile(self.net)
        return self.run


def measure(torch, options, end):
    grid = list(itertools.product(("infer", "train"), options.units, options.batches, ("lstm", "gru")))
    rows = [(form, tf32, *case) for tf32 in (False, True) for case in grid for form in ("eager", "graph")]
    compiled = [("compiled", False, phase, options.units[0], options.batches[0], "lstm") for phase in ("infer", "train")]
    # PyTorch without TF32 first, which is what hscope's default computes; compiling takes longest, so it comes between.
    rows = rows[:2 * len(grid)] + compiled + rows[2 * len(grid):]
    for form, tf32, phase, units, batch, cell in rows:
        row = {"case": f"{cell}-{phase}-h{units}-t{options.length}-b{batch}-fused", "form": form, "tf32": tf32}
        if time.monotonic() > end:
            write(dict(row, failure="there was no time"))
            continue
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        try:
            layer = Layer(torch, cell, units, batch, options.length, phase == "train")
            write(dict(row, **sample(torch, getattr(layer, form)())))
        except Exception as error:  # each case is an answer of its own
            write(dict(row, failure=str(error)[:300]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=48)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--units", type=int, nargs="+", default=[512, 256, 1024])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    try:
        import torch
    except ImportError as error:
        write({"failure": f"PyTorch cannot be imported: {error}"})
        return 1
    if not torch.cuda.is_available():
        write({"failure": "PyTorch sees no GPU", "torch": torch.__version__})
        return 1
    write({"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "gpu": torch.cuda.get_device_name()})
    measure(torch, options, end)
    return 0


if __name__ == "__main__":
    sys.exit(main())
