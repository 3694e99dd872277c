#!/usr/bin/env python3
"""operator-reference.py — writes the reference of all operators, as Markdown, for the installed help.

usage: operator-reference.py HSCOPE PAGE.md

HSCOPE is the program; `hscope info --operators --json` prints what the operators' structs say.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import pathlib
import subprocess
import sys

N_TYPES = 13 # element types of the engine

HEAD = """# Operators

All {n} operators, by the kind of their work. `hscope info --operator NAME` prints the same for one of them. Attributes are given with what a
model file may contain for them; names in brackets are other names of the operator.
"""


def values(attribute):
    """What a file may contain for an attribute: "integer, 1 to 8"."""
    if "choices" in attribute:
        return f"{attribute['kind']} " + ", ".join(f"`{choice}`" for choice in attribute["choices"])
    if "low" not in attribute:
        return attribute["kind"]
    if attribute["high"] >= 2**31 - 1:
        return f"{attribute['kind']}, at least {attribute['low']:g}"
    return f"{attribute['kind']}, {attribute['low']:g} to {attribute['high']:g}"


def default(attribute):
    if attribute["required"]:
        return "required"
    return f"`{attribute['default']}`" if attribute["default"] else "empty"


def names(list_of_names):
    return ", ".join(f"`{name}`" for name in list_of_names)


def computes(operator):
    if not operator["runs"]:
        return "types only, cannot run"
    return "computes in " + ("all element types" if len(operator["dtypes"]) == N_TYPES else ", ".join(operator["dtypes"]))


def section(operator):
    """The lines of one operator."""
    aliases = f" ({names(operator['aliases'])})" if operator["aliases"] else ""
    facts = [f"inputs {names(operator['inputs'])}" if operator["inputs"] else "",
             f"outputs {names(operator['outputs'])}",
             f"subgraphs {names(operator['subgraphs'])}" if operator["subgraphs"] else "",
             computes(operator),
             f"gradient: {operator['gradient']}",
             "on a GPU, too" if operator["gpu"] else ""]
    lines = [f"### `{operator['name']}`", "", operator["doc"] + aliases, "", "; ".join(filter(None, facts)) + ".", ""]
    if operator["attributes"]:
        lines += ["| attribute | values | default | meaning |", "|---|---|---|---|"]
        lines += [f"| `{a['name']}` | {values(a)} | {default(a)} | {a['doc']} |" for a in operator["attributes"]]
        lines += [""]
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = subprocess.run([sys.argv[1], "info", "--operators", "--json"], check=True, stdout=subprocess.PIPE).stdout
    operators = json.loads(text)["operators"]
    lines = [HEAD.format(n=len(operators))]
    for category in sorted({operator["category"] for operator in operators}):
        lines += [f"## {category.capitalize()}", ""]
        for operator in sorted((o for o in operators if o["category"] == category), key=lambda o: o["name"].lower()):
            lines += section(operator)
    pathlib.Path(sys.argv[2]).write_text("\n".join(lines), encoding="utf-8")


main()
