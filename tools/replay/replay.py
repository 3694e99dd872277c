"""replay.py — runs the goldens that capture.py wrote on this project's engine, and counts what is the same, different and refused.

The program tests/engine/goldens/test-goldens-ops does the work, a part of the capture at a time; where it ends early, each case
of the operator at which it ended is run by itself. known.json lists expected differences with their reasons. Start at main().

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
import temporary_folder  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HEADER = re.compile(r"^# (\S+), case (\S+): ?(.*)$")
TEST = re.compile(r"^(?:not )?ok \d+ (\S+)")


def run_program(program, folder, skipped=()):
    """Runs the goldens in a folder; returns (messages by (group, case), names of groups that were finished, exit status)."""
    with tempfile.TemporaryDirectory() as shared:
        goldens = pathlib.Path(shared) / "goldens"
        (goldens / "generated").mkdir(parents=True)
        (goldens / "ops").symlink_to(pathlib.Path(folder).resolve())
        command = [program, "goldens/test-goldens-ops", "--tap", *(word for name in skipped for word in ("-s", f"/engine/goldens/ops/{name}"))]
        done = subprocess.run(command, env={**os.environ, "HYB_SHARED": shared}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    messages, finished, current = {}, set(), None
    for line in done.stdout.splitlines():
        header, test = HEADER.match(line), TEST.match(line)
        if header:
            current = (header.group(1), header.group(2))
            messages[current] = header.group(3)
        elif test:
            current = None
            finished.add(test.group(1).removeprefix("/engine/goldens/ops/"))
        elif current and line.startswith("# "):
            messages[current] += "\n" + line[2:]
    return messages, finished, done.returncode


def alone(folder, group, case, target):
    """Writes one case of a group as a folder of its own."""
    target.mkdir(parents=True)
    text = json.loads((folder / f"{group}.json").read_text())
    text["cases"] = [entry for entry in text["cases"] if entry["name"] == case]
    (target / f"{group}.json").write_text(json.dumps(text))
    with zipfile.ZipFile(folder / f"{group}.npz") as source, zipfile.ZipFile(target / f"{group}.npz", "w") as copy:
        for member in source.namelist():
            if member.startswith(f"{case}/"):
                copy.writestr(member, source.read(member))


def run_part(program, folder, groups):
    """Messages of all cases in a folder, also where one of them ends the program."""
    messages, finished = {}, set()
    while True:
        found, now, status = run_program(program, folder, sorted(finished))
        messages.update(found)
        finished |= now
        left = [group for group in sorted(groups) if group not in finished]
        if not left:
            return messages
        group = left[0]
        with tempfile.TemporaryDirectory() as place:
            for case in groups[group]:
                target = pathlib.Path(place) / case["name"]
                alone(folder, group, case["name"], target)
                found, now, status = run_program(program, target)
                messages.update(found)
                if group not in now:
                    messages[(group, case["name"])] = f"the program ended with status {status}"
                shutil.rmtree(target)
        finished.add(group)


def kind_of(message):
    """same, refused or different."""
    if not message:
        return "same"
    if "program ended" in message:
        return "different"
    if re.search(r"(reading fails|the operator \S+ is not there|fails: )", message):
        return "refused"
    return "different"


def has_repeated_head(graph):
    """Whether a graph returns one value twice, as cells whose output is their state do."""
    heads = [tuple(head[:2]) for head in graph["heads"]]
    return len(set(heads)) < len(heads)


def reason_for(known, group, case, message):
    for entry in known:
        if fnmatch.fnmatchcase(group, entry.get("group", "*")) and fnmatch.fnmatchcase(case["note"], entry.get("note", "*")) \
                and fnmatch.fnmatchcase(message, entry.get("message", "*")) \
                and set(entry.get("operators", [])) <= set(case["operators"]) \
                and (not entry.get("repeated head") or has_repeated_head(case["symbol"])):
            return entry["reason"]
    return None


class Totals:
    """What the tables show."""

    def __init__(self):
        self.modules = collections.defaultdict(collections.Counter)
        self.refused, self.reasons, self.open = collections.defaultdict(list), collections.Counter(), []
        self.examples = {}

    def add(self, module, group, case, message, known):
        kind = kind_of(message)
        reason = reason_for(known, group, case, message) if kind != "same" else None
        if kind == "different":
            kind = "explained" if reason else "different"
        self.modules[module][kind] += 1
        if kind == "refused":
            missing = re.search(r"the operator (\S+) is not there", message)
            name = missing.group(1) if missing else case["operators"][0] if len(case["operators"]) == 1 else f"graph of {group}"
            self.refused[name].append(message)
        if kind == "explained" or (kind == "refused" and reason):
            self.reasons[reason] += 1
        if kind in ("different", "refused") and not reason:
            self.open.append((kind, group, case["name"], case["note"], message))


def table(totals, counts):
    columns = ("same", "explained", "different", "refused")
    lines = ["| tests | cases | same | different, with a reason | different, without | refused |", "|---|---|---|---|---|---|"]
    whole = collections.Counter()
    for module, found in sorted(totals.modules.items()):
        whole.update(found)
        lines.append(f"| {module} | {sum(found.values())} | " + " | ".join(str(found[key]) for key in columns) + " |")
    lines.append(f"| all | {sum(whole.values())} | " + " | ".join(str(whole[key]) for key in columns) + " |")
    lines += ["", "| while capturing | number |", "|---|---|", *(f"| {key} | {value} |" for key, value in counts.items())]
    lines += ["", "## Refused", "", "| operator or test | cases | first message |", "|---|---|---|"]
    for name, messages in sorted(totals.refused.items(), key=lambda item: (-len(item[1]), item[0])):
        first = messages[0].splitlines()[0][:160].replace("|", "\\|")
        lines.append(f"| {name} | {len(messages)} | {first} |")
    lines += ["", "## Different, with a reason", "", "| reason | cases |", "|---|---|",
              *(f"| {reason} | {count} |" for reason, count in totals.reasons.most_common())]
    return "\n".join(lines) + "\n"


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the built tests/engine/engine-tests")
    parser.add_argument("folder", help="the folder that capture.py wrote")
    parser.add_argument("--known", default=HERE / "known.json", help="expected differences")
    parser.add_argument("--table", help="write the tables to this file, below the text of replay-head.md")
    arguments = parser.parse_args()
    known = json.loads(pathlib.Path(arguments.known).read_text())
    totals, counts = Totals(), collections.Counter()
    for folder in sorted(path for path in (pathlib.Path(arguments.folder) / "parts").iterdir() if path.is_dir()):
        counts.update(json.loads(folder.with_suffix(".json").read_text()))
        groups = {path.stem if path.suffix == ".json" else path.name: json.loads(path.read_text())["cases"]
                  for path in folder.glob("*.json")}
        messages = run_part(os.path.abspath(arguments.program), folder, groups)
        for group, cases in groups.items():
            for case in cases:
                totals.add(folder.name.split("-")[0], group, case, messages.get((group, case["name"]), ""), known)
    for kind, group, case, note, message in totals.open:
        print(f"{kind}: {group} {case} ({note})\n    " + message.strip().replace("\n", "\n    "))
    text = table(totals, counts)
    if arguments.table:
        pathlib.Path(arguments.table).write_text((HERE / "replay-head.md").read_text() + "\n" + text)
    else:
        print(text)
    return 1 if any(kind == "different" for kind, *_ in totals.open) else 0


if __name__ == "__main__":
    sys.exit(main())
