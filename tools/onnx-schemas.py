#!/usr/bin/env python3
"""Writes engine/onnx/schema-list.h from the operator schemas of the Python package onnx.

usage: tools/onnx-schemas.py > engine/onnx/schema-list.h
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import onnx
import onnx.defs

KINDS = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I", "STRINGS": "S",
         "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSOR": "p", "TYPE_PROTO": "y"}
DOMAINS = {"": "", "ai.onnx.ml": "ai.onnx.ml", "ai.onnx.preview.training": "ai.onnx.preview.training"}


def count(n):
    return min(n, 9999)


def main():
    print("/* schema-list.h — versions of every operator of ONNX that differ in form: since which operator set, how many inputs and outputs, and\n"
          " * the names and kinds of its attributes.\n"
          " *\n"
          " * Written by tools/onnx-schemas.py from the schemas of onnx %s.  Kinds: f float, i int, s string, t tensor, g graph, p\n"
          " * sparse tensor, y type; capitals are lists.  schema.c includes this file, so it has no include guard.\n"
          " * SPDX-License-Identifier: LGPL-2.1-or-later */\n" % onnx.__version__)
    print("/* clang-format off */")
    rows = []
    for s in onnx.defs.get_all_schemas_with_history():
        if s.domain not in DOMAINS:
            continue
        attributes = " ".join("%s:%s" % (a.name, KINDS[str(a.type).split(".")[-1]]) for a in sorted(s.attributes.values(), key=lambda a: a.name))
        rows.append((DOMAINS[s.domain], s.name, s.since_version, count(s.min_input), count(s.max_input), count(s.min_output),
                     count(s.max_output), s.deprecated, attributes))
    last = None
    for r in sorted(rows):
        # Versions that only changed types look the same here.
        if last and r[:2] == last[:2] and r[3:] == last[3:]:
            continue
        last = r
        print('HYB_ONNX_SCHEMA ("%s", "%s", %d, %d, %d, %d, %d, %d, "%s")' % (r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]))
    print("/* clang-format on */")


main()
