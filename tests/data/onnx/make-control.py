#!/usr/bin/env python3
"""Writes small ONNX files with If, Loop and Scan, and what ONNX Runtime computes with them.

usage: tests/data/onnx/make-control.py FOLDER

NAME.onnx is the model; NAME.npz has its inputs by their names, and its outputs in order as "=0", "=1", …
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import sys
import numpy as np
import onnxruntime
from onnx import parser, save

RNG = np.random.default_rng(5)
HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


# name → (text, inputs)
CASES = {
    # A limit that the file fixes; the body passes its condition on.
    "loop-limit": ("""g (float[3] x) => (float[3] y, float[n,3] rows) <int64 limit = {4}> {
        y, rows = Loop <body = body (int64 i, bool go, float[3] s) => (bool on, float[3] next, float[3] row) {
            on = Identity (go)
            next = Add (s, x)
            f = Cast <to = 1> (i)
            row = Mul (next, f)
        }> (limit, "", x)
    }""", lambda: {"x": floats(3)}),
    # No limit: the condition compares a counter of its own with a number.
    "loop-counter": ("""g (float[2] x) => (float[2] y, int64 k) <int64 zero = {0}, int64 five = {5}, int64 two = {2}, int64 top = {9223372036854775807}, bool yes = {1}> {
        k, y = Loop <body = body (int64 i, bool go, int64 k_in, float[2] s) => (bool on, int64 k_out, float[2] next) {
            k_out = Add (k_in, two)
            on = Less (k_out, five)
            next = Mul (s, s)
        }> (top, yes, zero, x)
    }""", lambda: {"x": floats(2)}),
    # The same, compared before it is counted on.
    "loop-before": ("""g (float[2] x) => (float[2] y, int64 k) <int64 zero = {0}, int64 five = {5}, int64 two = {2}, int64 top = {9223372036854775807}, bool yes = {1}> {
        k, y = Loop <body = body (int64 i, bool go, int64 k_in, float[2] s) => (bool on, int64 k_out, float[2] next) {
            on = Less (k_in, five)
            k_out = Add (k_in, two)
            next = Mul (s, s)
        }> (top, yes, zero, x)
    }""", lambda: {"x": floats(2)}),
    # A state that grows by a row in every step.
    "loop-growing": ("""g (float[1,3] x) => (float[n,3] y) <int64 limit = {3}> {
        y = Loop <body = body (int64 i, bool go, float[m,3] s) => (bool on, float[k,3] next) {
            on = Identity (go)
            next = Concat <axis = 0> (s, x)
        }> (limit, "", x)
    }""", lambda: {"x": floats(1, 3)}),
    # The condition depends on the data: how many rows there are is known only afterwards.
    "loop-until": ("""g (float[2] x) => (float[2] y, float[n,2] rows) <int64 limit = {20}, float bound = {30.0}> {
        y, rows = Loop <body = body (int64 i, bool go, float[2] s) => (bool on, float[2] next, float[2] row) {
            next = Add (s, x)
            row = Identity (next)
            total = ReduceSum <keepdims = 0> (next)
            on = Less (total, bound)
        }> (limit, "", x)
    }""", lambda: {"x": np.array([1.5, 2.25], np.float32)}),
    # The same without a limit and without rows.
    "loop-while": ("""g (float[2] x) => (float[2] y, int64 steps) <float bound = {100.0}, int64 zero = {0}, int64 one = {1}, bool yes = {1}> {
        y, steps = Loop <body = body (int64 i, bool go, float[2] s, int64 n) => (bool on, float[2] next, int64 more) {
            next = Add (s, x)
            more = Add (n, one)
            total = ReduceSum <keepdims = 0> (next)
            on = Less (total, bound)
        }> ("", yes, x, zero)
    }""", lambda: {"x": np.array([1.5, 2.25], np.float32)}),
    "loop-no-steps": ("""g (float[2] x) => (float[2] y, float[n,2] rows) <int64 limit = {0}> {
        y, rows = Loop <body = body (int64 i, bool go, float[2] s) => (bool on, float[2] next, float[2] row) {
            on = Identity (go)
            next = Add (s, s)
            row = Mul (s, s)
        }> (limit, "", x)
    }""", lambda: {"x": floats(2)}),
    # The limit is an input.
    "loop-limit-input": ("""g (float[2] x, int64 limit) => (float[2] y, float[n,2] rows) {
        y, rows = Loop <body = body (int64 i, bool go, float[2] s) => (bool on, float[2] next, float[2] row) {
            on = Identity (go)
            next = Add (s, x)
            row = Mul (next, next)
        }> (limit, "", x)
    }""", lambda: {"x": floats(2), "limit": np.array(6, np.int64)}),
    # A slice whose place is the counter.
    "loop-slices": ("""g (float[5,2] x) => (float[n,2] rows) <int64 limit = {5}, int64[1] one = {1}, int64[1] zero = {0}, float[2] start = {0.0, 0.0}> {
        last, rows = Loop <body = body (int64 i, bool go, float[2] s) => (bool on, float[2] next, float[2] row) {
            on = Identity (go)
            begin = Unsqueeze (i, zero)
            end = Add (begin, one)
            part = Slice (x, begin, end, zero)
            flat = Squeeze (part, zero)
            next = Add (s, flat)
            row = Identity (next)
        }> (limit, "", start)
    }""", lambda: {"x": floats(5, 2)}),
    "loop-nested": ("""g (float[2,3] x) => (float[2,3] y) <int64 outer = {3}, int64 inner = {2}> {
        y = Loop <body = body (int64 i, bool go, float[2,3] s) => (bool on, float[2,3] next) {
            on = Identity (go)
            next = Loop <body = deep (int64 j, bool going, float[2,3] t) => (bool still, float[2,3] more) {
                still = Identity (going)
                scaled = Mul (x, t)
                more = Sub (scaled, s)
            }> (inner, "", s)
        }> (outer, "", x)
    }""", lambda: {"x": 0.5 * floats(2, 3)}),
    "if-sign": ("""g (float[2,3] x) => (float[2,3] y) <float zero = {0.0}> {
        total = ReduceSum <keepdims = 0> (x)
        positive = Greater (total, zero)
        y = If <then_branch = yes () => (float[2,3] a) { a = Relu (x) }, else_branch = no () => (float[2,3] b) { b = Neg (x) }> (positive)
    }""", lambda: {"x": -np.abs(floats(2, 3))}),
    # Branches of different sizes.
    "if-sizes": ("""g (float[2,3] x) => (float[m] z) <float zero = {0.0}, int64[1] all = {-1}> {
        total = ReduceSum <keepdims = 0> (x)
        positive = Greater (total, zero)
        y = If <then_branch = yes () => (float[k,3] a) { a = Concat <axis = 0> (x, x) }, else_branch = no () => (float[k,3] b) { b = Neg (x) }> (positive)
        z = Reshape (y, all)
    }""", lambda: {"x": np.abs(floats(2, 3))}),
    # How many elements NonZero finds decides all later shapes, inside the loop as well.
    "data-dependent": ("""g (float[6] x) => (float[m] y, float[n] sums) <int64 limit = {3}, float zero = {0.0}, int64[1] all = {-1}> {
        positive = Greater (x, zero)
        places = NonZero (positive)
        flat = Reshape (places, all)
        picked = Gather (x, flat)
        y, sums = Loop <body = body (int64 i, bool go, float[m] s) => (bool on, float[m] next, float row) {
            on = Identity (go)
            next = Add (s, picked)
            row = ReduceSum <keepdims = 0> (next)
        }> (limit, "", picked)
    }""", lambda: {"x": np.array([1, -2, 3, 0, 4, -1], np.float32)}),
    "scan-sum": ("""g (float[2] start, float[4,2] x) => (float[2] y, float[4,2] rows) {
        y, rows = Scan <num_scan_inputs = 1, body = body (float[2] s, float[2] part) => (float[2] next, float[2] row) {
            next = Add (s, part)
            row = Mul (next, part)
        }> (start, x)
    }""", lambda: {"start": floats(2), "x": floats(4, 2)}),
    # Rows along another axis, from the last to the first, on both sides.
    "scan-axes": ("""g (float[2] start, float[2,4] x, float[4,2] z) => (float[2] y, float[2,4] rows) {
        y, rows = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0], scan_output_axes = [1], scan_output_directions = [1],
                body = body (float[2] s, float[2] part, float[2] other) => (float[2] next, float[2] row) {
            sum = Add (s, part)
            next = Mul (sum, other)
            row = Sub (next, part)
        }> (start, x, z)
    }""", lambda: {"start": floats(2), "x": floats(2, 4), "z": floats(4, 2)}),
    # A node that nothing reads and that cannot be computed.
    "unused": ("""g (float[2] x) => (float[2] y) {
        y = Relu (x)
        text = Constant <value_strings = ["a"]> ()
        dead = Identity (text)
    }""", lambda: {"x": floats(2)}),
    # A limit of 0, and a condition that is known only while running.
    "loop-limit-zero": ("""g (float[2] x, bool go) => (float[2] y, float[n,2] rows) <int64 limit = {0}> {
        y, rows = Loop <body = body (int64 i, bool on_before, float[2] s) => (bool on, float[2] next, float[2] row) {
            on = Identity (on_before)
            next = Add (s, s)
            row = Mul (s, s)
        }> (limit, go, x)
    }""", lambda: {"x": floats(2), "go": np.array(True)}),
    # A list to which steps of different shapes of their pieces append an array, joined along an axis that the arrays have.
    "list-steps": ("""g (float[5,4] x) => (float[n,4] y, int64 length) <int64 limit = {3}, int64 one = {1}, int64[1] zero = {0}, bool yes = {1}> {
        empty = SequenceEmpty ()
        list = Loop <body = body (int64 i, bool go, seq(float[1,4]) before) => (bool on, seq(float[1,4]) after) {
            on = Identity (go)
            begin = Unsqueeze (i, zero)
            end = Add (begin, one)
            row = Slice (x, begin, end)
            after = SequenceInsert (before, row)
        }> (limit, yes, empty)
        y = ConcatFromSequence <axis = 0> (list)
        length = SequenceLength (list)
    }""", lambda: {"x": floats(5, 4)}),
    # The same with a number of steps that only the run knows.
    "list-while": ("""g (float[5,4] x, int64 limit) => (float[1,n] y) <int64 one = {1}, int64[1] zero = {0}, bool yes = {1}> {
        empty = SequenceEmpty ()
        list, last = Loop <body = body (int64 i, bool go, seq(float[1,4]) before, int64 k) => (bool on, seq(float[1,4]) after, int64 next) {
            begin = Unsqueeze (i, zero)
            end = Add (begin, one)
            row = Slice (x, begin, end)
            after = SequenceInsert (before, row)
            next = Add (k, one)
            on = Less (next, limit)
        }> ("", yes, empty, one)
        y = ConcatFromSequence <axis = 1> (list)
    }""", lambda: {"x": floats(5, 4), "limit": np.array(4)}),
    # Lists that are written array by array, split, read at both ends, and grow in front.
    "lists": ("""g (float[2,6] x, float[2,2] z) => (float[2,2] first, float[2,2] last, int64 n, float[2,10] joined, float[3,2,2] stacked, float[2] row) <int64 zero = {0}, int64 two = {2}, int64 minus = {-1}, int64 front = {-3}> {
        pieces = SplitToSequence <axis = 1> (x, two)
        first = SequenceAt (pieces, zero)
        last = SequenceAt (pieces, minus)
        more = SequenceInsert (pieces, z, front)
        most = SequenceInsert (more, z)
        n = SequenceLength (most)
        joined = ConcatFromSequence <axis = 1> (most)
        written = SequenceConstruct (z, first, last)
        stacked = ConcatFromSequence <axis = 0, new_axis = 1> (written)
        columns = SplitToSequence <axis = 1, keepdims = 0> (x)
        row = SequenceAt (columns, two)
    }""", lambda: {"x": floats(2, 6), "z": floats(2, 2)}),
}


def main():
    for name, (text, make) in CASES.items():
        model = parser.parse_model(HEAD + text)
        inputs = make()
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        outputs = session.run(None, inputs)
        arrays = dict(inputs)
        arrays.update({"=%d" % i: np.asarray(value) for i, value in enumerate(outputs)})
        save(model, os.path.join(sys.argv[1], name + ".onnx"))
        np.savez(os.path.join(sys.argv[1], name + ".npz"), **arrays)


if __name__ == "__main__":
    main()
