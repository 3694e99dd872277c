#!/usr/bin/env python3
"""Writes learned-state.onnx: two LSTM layers of PyTorch whose initial states are parameters, repeated for each sequence of a batch.

usage: tests/data/onnx/make-learned.py FOLDER
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import torch


class Learned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(5, 6, num_layers=2)
        self.h = torch.nn.Parameter(torch.randn(2, 1, 6))
        self.c = torch.nn.Parameter(torch.randn(2, 1, 6))

    def forward(self, x):
        batch = x.size(1)
        y, (h, c) = self.lstm(x, (self.h.expand(2, batch, 6).contiguous(), self.c.expand(2, batch, 6).contiguous()))
        return y, h, c


torch.manual_seed(1)
module = torch.jit.script(Learned().eval())
torch.onnx.export(
    module, (torch.randn(5, 2, 5),), "%s/learned-state.onnx" % sys.argv[1], dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "length", 1: "batch"}}
)
