#!/usr/bin/env python3
"""analyse.py — runs three static analysers file by file and compares what they find with a list of accepted findings.

Started by tests/analyse.sh. A finding is a line "path:line: check: message"; one is accepted if a line of
tests/analysis-accepted.txt (path pattern, check, part of the message, reason; separated by tabs) matches it.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import fnmatch
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = TREE / "build"
KEPT = TREE / "build-analysis"
ACCEPTED = TREE / "tests" / "analysis-accepted.txt"
FOLDERS = ("engine/", "profiler/", "viz/", "app/")
# The end of a line of clang-tidy and gcc: "warning: message [check]".
WARNING = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+):\d+: (?:warning|error): (?P<message>.*?) ?(?:\[CWE-\d+\] )?\[-?W?(?P<check>[\w.,=-]+)\]$")
CPPCHECK = re.compile(r"^(?P<path>[^\t]+)\t(?P<line>\d+)\t(?P<check>\w+)\t(?P<message>.*)$")

# What cppcheck is not asked for, and why.
CPPCHECK_WITHOUT = (
    "missingInclude", "missingIncludeSystem",   # system headers are left out on purpose
    "normalCheckLevelMaxBranches", "toomanyconfigs",    # about cppcheck itself
    "unmatchedSuppression",
    "unknownMacro",             # macros of GLib and of this tree that its parser does not know
    "variableScope",            # a matter of taste: declarations come first in this tree
    "constParameterCallback", "constParameter", "constVariable", "constParameterPointer", "constVariablePointer",   # likewise
    "unreadVariable",           # g_autofree and g_autoptr are read by their clean-up
    "unusedFunction",           # files are looked at one by one
    "unusedStructMember",       # likewise: structs of headers
    "shadowFunction",           # gcc's -Wshadow is on
    "funcArgNamesDifferent",    # a definition that works on a copy of its argument gives the argument another name
    "varFuncNullUB",            # NULL is a pointer in the C libraries that are supported
    "bitwiseOnBoolean",         # "|" on purpose, so that loops become vector instructions
    "clarifyCalculation",       # precedence in macros, whose arguments are in parentheses
)


def commands():
    """Path → arguments of the compiler for every source file of the modules, from meson."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        path = str((pathlib.Path(entry["directory"]) / entry["file"]).resolve().relative_to(TREE))
        if path.startswith(FOLDERS) and path.endswith(".c"):
            words = shlex.split(entry["command"])
            found.setdefault(path, [word for word in words if word.startswith(("-I", "-D", "-std", "-f", "-m", "-pthread"))
                                    and not word.startswith("-fdiagnostics")])
    return found


def tidy(path, arguments):
    return ["clang-tidy-14", "--quiet", "-p", str(BUILD), str(TREE / path)]


def analyzer(path, arguments):
    return ["gcc", "-fanalyzer", "-O1", "-c", "-o", "/dev/null", *arguments, str(TREE / path)]


def cppcheck(path, arguments):
    only = [word for word in arguments if word.startswith("-D") or word in ("-I..", "-I.")]
    return ["cppcheck", "--quiet", "--enable=warning,performance,portability,style", "--inconclusive", "--library=gtk", "--std=c11",
            "--template={file}\t{line}\t{id}\t{message}", *("--suppress=" + name for name in CPPCHECK_WITHOUT),
            "-I" + str(TREE), *(word for word in only if word.startswith("-D")), str(TREE / path)]


TOOLS = {"clang-tidy": (tidy, WARNING), "gcc": (analyzer, WARNING), "cppcheck": (cppcheck, CPPCHECK)}


def look(tool, path, arguments, again):
    """The findings of one tool in one file: those of the last run if the file and the command are the same."""
    make, pattern = TOOLS[tool]
    command = make(path, arguments)
    kept = KEPT / tool / (path.replace("/", "+") + ".json")
    setup = (TREE / ".clang-tidy").read_bytes() if tool == "clang-tidy" else b""
    digest = hashlib.sha256((TREE / path).read_bytes() + repr(command).encode() + setup).hexdigest()
    if kept.exists() and not again:
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["digest"] == digest:
            return known["findings"]
    process = subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = process.stdout.decode(errors="replace")
    findings = []
    for match in filter(None, map(pattern.match, output.split("\n"))):
        where = pathlib.Path(BUILD, match["path"]).resolve()
        if where.is_relative_to(TREE):
            finding = f"{where.relative_to(TREE)}:{match['line']}: {tool}-{match['check']}: {match['message']}"
            if finding not in findings:
                findings.append(finding)
    if process.returncode != 0 and not findings:    # a file that does not compile has not been looked at
        sys.exit(f"{tool} failed with status {process.returncode} on {path}:\n{output}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"digest": digest, "findings": findings}), encoding="utf-8")
    return findings


def read_accepted():
    lines = ACCEPTED.read_text(encoding="utf-8").split("\n") if ACCEPTED.exists() else []
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(prog="analyse.sh", description="runs three static analysers over the source")
    parser.add_argument("--tool", choices=TOOLS, action="append", help="only this one; may be given several times")
    parser.add_argument("--only", default="*", help="only files whose path matches this pattern")
    parser.add_argument("--again", action="store_true", help="forget what was found before")
    options = parser.parse_args()
    accepted = read_accepted()
    used, seen, unexplained = set(), set(), 0
    for path, arguments in sorted(commands().items()):
        if not fnmatch.fnmatchcase(path, options.only):
            continue
        for tool in options.tool or TOOLS:
            for finding in look(tool, path, arguments, options.again):
                if finding in seen:
                    continue
                seen.add(finding)
                where, check, message = finding.split(": ", 2)
                reasons = [entry for entry in accepted if fnmatch.fnmatchcase(where.split(":")[0], entry[0])
                           and fnmatch.fnmatchcase(check, entry[1]) and entry[2] in message]
                used.update(reasons)
                if not reasons:
                    print(finding, flush=True)
                    unexplained += 1
    print(f"{len(seen)} findings, {unexplained} without a reason", file=sys.stderr)
    if options.only == "*" and not options.tool:
        for entry in accepted:
            if entry not in used:
                print("no longer found: " + "\t".join(entry[:3]), file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
