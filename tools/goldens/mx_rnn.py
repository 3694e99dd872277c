"""mx_rnn.py — the nine graphs of docs/tutorials/mx-rnn.md, saved by MXNet into tests/data/docs/mx-rnn.

docs/test-examples compares them byte by byte with those that examples/mx-rnn.c saves.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import pathlib

import mxnet as mx

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/data/docs/mx-rnn"
LENGTH, HIDDEN = 3, 4


def lstm(prefix="lstm_"):
    return mx.rnn.LSTMCell(HIDDEN, prefix=prefix)


def both_ways():
    return mx.rnn.BidirectionalCell(lstm("l_"), mx.rnn.GRUCell(6, prefix="r_"))


def stack():
    cells = mx.rnn.SequentialRNNCell()
    for cell in (both_ways(), mx.rnn.DropoutCell(0.5), lstm("l1_")):
        cells.add(cell)
    return cells


def fused():
    return mx.rnn.FusedRNNCell(HIDDEN, num_layers=2, mode="lstm")


def one_step():
    cell = lstm()
    words = mx.sym.Embedding(mx.sym.Variable("step_data"), input_dim=10, output_dim=4)
    output, states = cell(words, cell.begin_state())
    return mx.sym.Group([output] + states)


def unrolled(make, merge=True):
    outputs, _ = make().unroll(LENGTH, inputs=mx.sym.Variable("data"), layout="NTC", merge_outputs=merge)
    return outputs if merge else mx.sym.Group(outputs)


# In the order in which the program prints them.
GRAPHS = [
    one_step,
    lambda: unrolled(lstm),
    lambda: unrolled(lstm, merge=False),
    lambda: unrolled(both_ways),
    lambda: unrolled(lambda: mx.rnn.ZoneoutCell(lstm(), 0, 0.5)),
    lambda: unrolled(lambda: mx.rnn.ResidualCell(lstm())),
    lambda: unrolled(stack),
    lambda: unrolled(fused),
    lambda: unrolled(lambda: fused().unfuse()),
]

for number, graph in enumerate(GRAPHS, 1):
    with mx.name.NameManager():     # automatic names count from 0 in each graph
        graph().save(str(FOLDER / f"graph-{number}-symbol.json"))
