#!/usr/bin/env python3
"""test-operator-reference.py — the reference of operators has all that `hscope info --operators` prints.

usage: test-operator-reference.py HSCOPE PAGE.md

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import pathlib
import subprocess
import sys

failures = 0


def check(number, sentence, missing):
    global failures
    failures += bool(missing)
    print(f"{'not ok' if missing else 'ok'} {number} {sentence}")
    for name in missing[:5]:
        print(f"# missing: {name}")


page = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
text = subprocess.run([sys.argv[1], "info", "--operators", "--json"], check=True, stdout=subprocess.PIPE).stdout
operators = json.loads(text)["operators"]
sections = {part.split("`", 2)[1]: part for part in page.split("\n### ")[1:]}
attributes = [(o["name"], a) for o in operators for a in o["attributes"]]

print("1..4")
check(1, "every operator has a section", [o["name"] for o in operators if o["name"] not in sections])
check(2, "every operator has a sentence", [o["name"] for o in operators if not o["doc"].endswith(".")])
check(3, "every attribute has a meaning", [f"{name} {a['name']}" for name, a in attributes if not a.get("doc")])
check(4, "every attribute is in the table of its operator",
      [f"{name} {a['name']}" for name, a in attributes if f"| `{a['name']}` |" not in sections.get(name, "")])
sys.exit(failures > 0)
