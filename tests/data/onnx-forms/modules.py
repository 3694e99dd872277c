#!/usr/bin/env python3
"""The recurrent modules that tools/onnx-forms.py exports: every way to write a recurrence in PyTorch, in small sizes."""
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections
import torch
from torch import nn
from torch._higher_order_ops.scan import scan

FEATURES, HIDDEN, LENGTH, BATCH = 4, 8, 5, 2

# time_axis: which dimension of x and y is the length.  is_loop: the steps are a loop of Python.
Made = collections.namedtuple("Made", "module inputs names outputs time_axis is_loop", defaults=(0, False))


class Layer(nn.Module):
    """A recurrent layer whose states start at zero; gives the outputs of all steps and the last states."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, state = self.layer(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


class LayerWithState(nn.Module):
    """An LSTM whose states are inputs."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, h0, c0):
        y, (h, c) = self.layer(x, (h0, c0))
        return y, h, c


class Packed(nn.Module):
    """An LSTM over sequences that end early."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(FEATURES, HIDDEN)

    def forward(self, x, lengths):
        y, (h, c) = self.layer(nn.utils.rnn.pack_padded_sequence(x, lengths))
        y, _ = nn.utils.rnn.pad_packed_sequence(y)
        return y, h, c


class Loop(nn.Module):
    """A loop of Python over the steps, around a cell; states start at zero."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell
        self.hidden = HIDDEN


class LstmCellLoop(Loop):
    def forward(self, x):
        h = torch.zeros(x.size(1), self.hidden)
        c = torch.zeros(x.size(1), self.hidden)
        steps = []
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            steps.append(h)
        return torch.stack(steps), h, c


class GruCellLoop(Loop):
    def forward(self, x):
        h = torch.zeros(x.size(1), self.hidden)
        steps = []
        for t in range(x.size(0)):
            h = self.cell(x[t], h)
            steps.append(h)
        return torch.stack(steps), h


class WrittenOut(Loop):
    """An LSTM as people write it from the paper: one layer for the four gates, on input and state side by side."""

    def forward(self, x):
        h = torch.zeros(x.size(1), self.hidden)
        c = torch.zeros(x.size(1), self.hidden)
        steps = []
        for t in range(x.size(0)):
            i, f, g, o = torch.chunk(self.cell(torch.cat([x[t], h], dim=1)), 4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            steps.append(h)
        return torch.stack(steps), h, c


class HigherOrderScan(nn.Module):
    """PyTorch's own scan around a GRUCell."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(FEATURES, HIDDEN)

    def forward(self, x):
        def step(h, x_t):
            new = self.cell(x_t, h)
            return new, new.clone()

        h, y = scan(step, torch.zeros(x.size(1), HIDDEN), x)
        return y, h


def uniform(*shape):
    return torch.rand(*shape) * 2 - 1


def of_x(module, outputs):
    return Made(module, (uniform(LENGTH, BATCH, FEATURES),), ("x",), outputs, is_loop=isinstance(module, Loop))


def batch_first():
    inputs = uniform(BATCH, LENGTH, FEATURES), uniform(1, BATCH, HIDDEN), uniform(1, BATCH, HIDDEN)
    return Made(LayerWithState(nn.LSTM(FEATURES, HIDDEN, batch_first=True)), inputs, ("x", "h0", "c0"), ("y", "h", "c"), time_axis=1)


def packed():
    return Made(Packed(), (uniform(LENGTH, BATCH, FEATURES), torch.tensor([LENGTH, LENGTH - 2])), ("x", "lengths"), ("y", "h", "c"))


MODULES = {
    "lstm": lambda: of_x(Layer(nn.LSTM(FEATURES, HIDDEN)), ("y", "h", "c")),
    "gru": lambda: of_x(Layer(nn.GRU(FEATURES, HIDDEN)), ("y", "h")),
    "rnn-tanh": lambda: of_x(Layer(nn.RNN(FEATURES, HIDDEN)), ("y", "h")),
    "rnn-relu": lambda: of_x(Layer(nn.RNN(FEATURES, HIDDEN, nonlinearity="relu")), ("y", "h")),
    "bidirectional": lambda: of_x(Layer(nn.LSTM(FEATURES, HIDDEN, bidirectional=True)), ("y", "h", "c")),
    "two-layers": lambda: of_x(Layer(nn.LSTM(FEATURES, HIDDEN, num_layers=2, dropout=0.5)), ("y", "h", "c")),
    "batch-first": batch_first,
    "packed": packed,
    "lstm-cell": lambda: of_x(LstmCellLoop(nn.LSTMCell(FEATURES, HIDDEN)), ("y", "h", "c")),
    "gru-cell": lambda: of_x(GruCellLoop(nn.GRUCell(FEATURES, HIDDEN)), ("y", "h")),
    "written-out": lambda: of_x(WrittenOut(nn.Linear(FEATURES + HIDDEN, 4 * HIDDEN)), ("y", "h", "c")),
    "scan": lambda: of_x(HigherOrderScan(), ("y", "h")),
}
