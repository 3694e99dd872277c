#!/usr/bin/env python3
"""Writes engine/onnx/schema-list.h from the operator schemas of the Python package onnx.

usage: tools/onnx-schemas.py > engine/onnx/schema-list.h
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import onnx
import onnx.defs
import onnx.helper

KINDS = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I", "STRINGS": "S",
         "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSOR": "p", "TYPE_PROTO": "y"}
DOMAINS = {"": "", "ai.onnx.ml": "ai.onnx.ml", "ai.onnx.preview.training": "ai.onnx.preview.training"}
# Element types, in the order of HybDType (engine/tensor/dtype.h).
TYPES = ["float", "double", "float16", "uint8", "int32", "int8", "int64", "bool", "int16", "uint16", "uint32", "uint64", "bfloat16"]


def letters(allowed):
    """The element types that a constraint allows: a letter each, or * for all of them."""
    found = "".join(chr(ord("a") + i) for i, t in enumerate(TYPES) if "tensor(%s)" % t in allowed)
    return "*" if len(found) == len(TYPES) else found


def types(schema):
    """Which constraint each input has, one digit an input, and the constraints; the last input may be repeated."""
    constraints = {c.type_param_str: letters(c.allowed_type_strs) for c in schema.type_constraints}
    used, digits = [], ""
    for i in schema.inputs:
        if not i.is_homogeneous:
            digits += "."
            continue
        if i.type_str not in used:
            used.append(i.type_str)
        digits += "0123456789abcdefghijklmnopqrstuvwxyz"[used.index(i.type_str)]
    return ";".join([digits] + [constraints.get(t, letters([t])) for t in used])


def default(attribute):
    """“=1”: the default of an attribute; nothing if it has none or one that is not a word."""
    if not attribute.default_value.name:
        return ""
    value = onnx.helper.get_attribute_value(attribute.default_value)
    text = value.decode() if isinstance(value, bytes) else "%.7g" % value if isinstance(value, (int, float)) else ""
    return "=" + text if text and " " not in text else ""


def attribute(a):
    return "%s:%s%s" % (a.name, KINDS[str(a.type).split(".")[-1]], default(a))


def count(n):
    return min(n, 9999)


def main():
    print("/* schema-list.h — versions of every operator of ONNX that differ in form: since which operator set, how many inputs and outputs, the\n"
          " * names and kinds of its attributes, and the types of its inputs: which constraint each has, and what the constraints allow.\n"
          " *\n"
          " * Written by tools/onnx-schemas.py from the schemas of onnx %s.  Kinds: f float, i int, s string, t tensor, g graph, p\n"
          " * sparse tensor, y type; capitals are lists; a default follows.  Element types are letters from a on, in the order of HybDType;\n"
          " * an asterisk is all of them, a full stop an input that may be of any type.  schema.c includes this file, so it has no include guard.\n"
          " * SPDX-License-Identifier: LGPL-2.1-or-later */\n" % onnx.__version__)
    print("/* clang-format off */")
    rows = []
    for s in onnx.defs.get_all_schemas_with_history():
        if s.domain not in DOMAINS:
            continue
        attributes = " ".join(attribute(a) for a in sorted(s.attributes.values(), key=lambda a: a.name))
        rows.append((DOMAINS[s.domain], s.name, s.since_version, count(s.min_input), count(s.max_input), count(s.min_output),
                     count(s.max_output), s.deprecated, attributes, types(s)))
    last = None
    for r in sorted(rows):
        if last and r[:2] == last[:2] and r[3:] == last[3:]:
            continue
        last = r
        print('HYB_ONNX_SCHEMA ("%s", "%s", %d, %d, %d, %d, %d, %d, "%s", "%s")' % r)
    print("/* clang-format on */")


main()
