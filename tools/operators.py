#!/usr/bin/env python3
"""operators.py — writes docs/operators.md: for every operator name of MXNet 1.9.1 what Hybridscope has.

usage: operators.py HSCOPE [--check]

HSCOPE is the program; `hscope info --operators --json` says what it knows. MXNet's names are in tests/data/mxnet-operators.txt
(tools/goldens/operator-names.py). Fails if a name is neither known nor has a reason, and with --check if the page is not current.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import fnmatch
import json
import pathlib
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[1]
NAMES = TREE / "tests" / "data" / "mxnet-operators.txt"
PAGE = TREE / "docs" / "operators.md"
SPARSE = "_sparse_"     # operators for sparse arrays have a second name with this prefix

# Groups of names, in the order of the page: title, patterns.
GROUPS = (
    ("Gradients", ("_backward_*", "_contrib_backward_*", "_broadcast_backward", "_split_v2_backward")),
    ("NumPy's interface", ("_np_*", "_npi_*", "_npx_*")),
    ("Quantised", ("*quantize*", "*quantized*", "_sg_*", "_contrib_calibrate_entropy")),
    ("Linear algebra", ("_linalg_*", "linalg_*")),
    ("Optimizers", ("*_update", "*_update_phase?", "multi_lars", "multi_sum_sq", "reset_arrays", "*all_finite")),
    ("Images", ("_image_*", "_cv*", "_imdecode")),
    ("Sparse arrays", (SPARSE + "*",)),
    ("Contributed", ("_contrib_*",)),
    ("Others", ("*",)),
)


def known_operators(program):
    """Name or alias → entry of an operator, and the list of reasons."""
    text = subprocess.run([program, "info", "--operators", "--json"], check=True, stdout=subprocess.PIPE).stdout
    document = json.loads(text)
    names = {}
    for entry in document["operators"]:
        for name in [entry["name"], *entry["aliases"]]:
            names[name] = entry
    return names, document["missing"]


def find(name, known):
    if name not in known and name.startswith(SPARSE):
        name = name[len(SPARSE):]
    return known.get(name)


def describe(name, known, missing):
    """The second column of a name; None if nothing is known about it."""
    entry = find(name, known)
    if entry and entry["name"] == name:
        limits = [] if entry["differentiable"] else ["no gradient"]
        limits += [] if entry["runs"] else ["types only"]
        return entry["doc"] + (f" ({', '.join(limits)})" if limits else "")
    if entry:
        return f"→ `{entry['name']}`"
    for row in missing:
        if fnmatch.fnmatchcase(name, row["pattern"]):
            return f"opaque. {row['reason']}."
    return None


def group_of(name):
    return next(title for title, patterns in GROUPS if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))


def cell(text):
    return text.replace("|", "\\|")


def make_page(names, known, missing):
    """The page, and the names about which nothing is known."""
    rows = {title: [] for title, _ in GROUPS}
    unexplained, counts = [], {"ours": 0, "alias": 0, "opaque": 0}
    for name in names:
        text = describe(name, known, missing)
        if text is None:
            unexplained.append(name)
            continue
        counts["opaque" if text.startswith("opaque") else "alias" if text.startswith("→") else "ours"] += 1
        rows[group_of(name)].append((name, text))
    # Gradients, and names that all have the same reason, are one row.
    lines = ["# Operators of MXNet 1.9.1", "",
             f"MXNet 1.9.1 has {len(names)} operator names. Of these, {counts['ours']} are operators here, {counts['alias']} are other names of them, "
             f"and {counts['opaque']} are opaque:", "a node with such a name is drawn and keeps its attributes, its shapes are unknown unless they are given, and `run` refuses it.",
             "", "This page is made by `tools/operators.py`; edit the operators, or `engine/ops/op-reasons.h`, and run it again.", ""]
    for title, _ in GROUPS:
        opaque = {}
        plain = []
        for name, text in rows[title]:
            if text.startswith("opaque"):
                opaque.setdefault(text, []).append(name)
            else:
                plain.append((name, text))
        if not plain and not opaque:
            continue
        lines += [f"## {title}", "", "| name in MXNet | here |", "|---|---|"]
        lines += [f"| `{name}` | {cell(text)} |" for name, text in plain]
        lines += [f"| {', '.join(f'`{name}`' for name in some)} | {cell(text)} |" for text, some in opaque.items()]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n", unexplained


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    known, missing = known_operators(arguments[0])
    names = [line.split("\t")[0] for line in NAMES.read_text(encoding="utf-8").splitlines()]
    page, unexplained = make_page(names, known, missing)
    stale = [row["pattern"] for row in missing if not any(fnmatch.fnmatchcase(name, row["pattern"]) and not find(name, known) for name in names)]
    for name in unexplained:
        print(f"{name}: there is no such operator; add it, or a reason to engine/ops/op-reasons.h")
    for pattern in stale:
        print(f"note: {pattern}: engine/ops/op-reasons.h has a reason that no name needs any more", file=sys.stderr)
    if unexplained:
        return 1
    if "--check" not in arguments:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print("docs/operators.md is not current: run tools/operators.py build/app/hscope")
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
