#!/usr/bin/env python3
# bombs.py - runs hscope on small hostile files that describe huge things, and prints a table.
#
#   tests/fuzz/bombs.py [-j N] [--factor F] [--busy] [--brief] [--only TEXT] [--findings FOLDER] build/app/hscope
#
# Makes the files in a temporary folder and measures time and peak memory of the commands that take
# them.  A cell is good within 2 s (times F), or if the command refuses with a sentence that names the
# budget, and within 256 MiB plus six times the file plus what hscope itself takes.  With --busy the time
# is that of the processor, for a machine that does other things, too.  --brief prints the worst of each
# kind of file instead of every file.  Ends with 1 if a cell is bad.
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import bomb_data
import bomb_graphs
import bomb_onnx
import bomb_tables

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import temporary_folder  # noqa: E402

MEBIBYTE = 1 << 20
ADDRESSES = 8 << 30  # a safety net: bytes of address space
PATIENCE = 20        # seconds
SECONDS = 2
COMMANDS = ["info", "check", "run", "render", "report"]
OTHERS = ["import", "sweep", "targets", "report (CSV)", "report (SQLite)"]     # of files that only they take
KINDS = {"symbol": "symbol", "run": "symbol", "attributes": "symbol", "npz": "npz", "trace": "trace", "capture": "capture", "onnx": "onnx"}    # of folders
BUDGET = re.compile(rb"--limit-memory|--limit-work|--time-limit|the limit|MiB available|would not fit")


def arguments(command, path, bomb):
    """What to call, or None where the command does not take this kind of file."""
    out = path + "." + command
    if bomb.kind == "capture":
        return {"info": [path], "report": [path, "-o", out + ".html"]}.get(command)
    if bomb.kind == "trace":
        return {"info": [path], "import": [path, "--symbol", bomb.plain, "--capture", out + ".hscope"]}.get(command)
    if bomb.kind == "sweep":
        ends = {"report": ".html", "report (CSV)": ".csv", "report (SQLite)": ".sqlite"}
        return [path, "-o", path + ends[command]] if command in ends else None
    if bomb.kind == "plan":
        return {"sweep": [path, "-o", out]}.get(command)
    if bomb.kind == "targets":
        return {"targets": []}.get(command)
    if bomb.kind == "overlay":
        return {"render": [bomb.plain, "--overlay", path, "-o", out + ".svg"]}.get(command)
    if bomb.kind in ("npz", "npy", "params"):
        plain = bomb.plain
        return {"info": [path], "check": [plain, "--params", path],
                "run": [plain, "--params", path, "--init", "zeros", "--time-limit", "2",
                        "--limit-memory", str(bomb.memory)]}.get(command)
    return {"info": [path], "check": [path],
            "run": [path, "--init", "zeros", "--time-limit", "2", "--limit-memory", str(bomb.memory)],
            "render": [path, "-o", out + ".svg"]}.get(command)


def size_of(path):
    """Bytes of a file, or of all files in a folder."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(path) for name in names)


class Bomb:
    def __init__(self, name, kind, path, plain):
        self.name, self.kind, self.path, self.plain = name, kind, path, plain
        self.size = size_of(path)
        self.memory = 256 * MEBIBYTE + 6 * self.size
        self.cells = {}


# One call: its text in the table, and what it is made of.
Cell = collections.namedtuple("Cell", "text faults message code names_budget seconds peak")


def limit_child():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def measure(call, patience=PATIENCE):
    """Exit status, seconds, bytes at the peak and the messages of one call."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                 preexec_fn=limit_child)
        timer = threading.Timer(patience, lambda: os.kill(child.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = status
        errors.seek(0)
        message = errors.read(1 << 20)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    # Of the processor, since a busy machine makes everything else meaningless.
    busy = usage.ru_utime + usage.ru_stime
    return code, time.monotonic() - begin, busy, usage.ru_maxrss * 1024, message


def judge(bomb, call, options, own):
    code, seconds, busy, peak, message = measure(call, PATIENCE * (6 if options.busy else 1))
    names_budget = code > 0 and BUDGET.search(message)
    faults = []
    if code < 0 or code > 124 or b"CRITICAL" in message or b"Sanitizer" in message:
        faults.append("signal %d" % -code if code < 0 else "crash")
    if peak > bomb.memory + own:
        faults.append("memory")
    if (busy if options.busy else seconds) > SECONDS * options.factor and not names_budget:
        faults.append("time")
    result = "%.1f s (%.1f), %d MiB" % (seconds, busy, peak // MEBIBYTE)
    if names_budget:
        result += ", names the budget"
    elif code != 0:
        result += ", refused"
    result += ", **%s**" % " and ".join(faults) if faults else ""
    return Cell(result, faults, message, code, bool(names_budget), busy if options.busy else seconds, peak)


def kind_of(path, data):
    """The kind of a kept file: its folder says it, or else its name and what it holds."""
    kind = KINDS.get(os.path.basename(os.path.dirname(path)))
    if kind:
        return kind
    if path.endswith(".json"):
        return "symbol" if b'"nodes"' in data else "trace"
    return "npz" if path.endswith(".npz") else "params"


def write_files(folder, only, findings):
    bombs = []
    plain = os.path.join(folder, "plain-symbol.json")
    with open(plain, "w") as file:
        file.write(bomb_graphs.text([bomb_graphs.variable("data", __shape__="(2,)"), bomb_graphs.variable("w0"),
                                     bomb_graphs.operator("broadcast_add", [0, 1])]))

    def add(name, kind, make, end):
        if only and only not in name:
            return
        # Alone in a folder: commands look for weights beside a model.
        path = os.path.join(folder, "bomb%03d" % len(bombs), "bomb" + end)
        data = make()
        # A folder is a dictionary of its files; "" is the path itself, and the others may lie beside it.
        for inner, part in data.items() if isinstance(data, dict) else [("", data)]:
            at = os.path.normpath(os.path.join(path, inner))
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "wb") as file:
                file.write(part.encode() if isinstance(part, str) else part)
        bombs.append(Bomb(name, kind, path, plain))

    for name, make in bomb_graphs.GRAPHS.items():
        add(name, "symbol", make, "-symbol.json")
    for name, (kind, make) in bomb_data.ARRAYS.items():
        add(name, "symbol" if kind == "json" else kind, make, "-symbol.json" if kind == "json" else "." + kind)
    for name, make in bomb_onnx.MODELS.items():
        add(name, "onnx", make, ".onnx")
    for name, make in bomb_data.CAPTURES.items():
        add(name, "capture", make, ".hscope")
    for name, make in bomb_data.TRACES.items():
        add(name, "trace", make, ".trace.json")
    for name, (kind, make) in bomb_tables.TABLES.items():
        add(name, kind, make, {"plan": ".ini", "overlay": ".json"}.get(kind, ""))
    for root, _, files in (entry for start in findings for entry in os.walk(start)):
        for file in sorted(files):
            if file in ("README", "README.md"):
                continue
            path = os.path.join(root, file)
            with open(path, "rb") as opened:
                data = opened.read()
            kind = kind_of(path, data)
            end = "-symbol.json" if kind == "symbol" else ".trace.json" if kind == "trace" else "." + kind
            add("kept: " + file[:24], kind, lambda: data, end)
    return bombs


def print_all(bombs):
    print("Each cell: seconds by the clock (of the processor), memory at the peak.\n")
    print("| file | bytes | " + " | ".join(COMMANDS) + " |\n" + "|---" * (2 + len(COMMANDS)) + "|")
    for bomb in bombs:
        texts = {command: cell.text for command, cell in bomb.cells.items()}
        for command in OTHERS:
            if command in texts:
                texts["report"] = (texts["report"] + "; " if "report" in texts else "") + command + ": " + texts[command]
        print("| %s | %d | " % (bomb.name, bomb.size) + " | ".join(texts.get(command, "") for command in COMMANDS) + " |")


def print_brief(bombs):
    """By kind of file and command: calls, those refused and those that name the budget, and the worst of them."""
    print("| file | command | calls | refused | of these, for the budget | most seconds | most MiB |\n" + "|---" * 7 + "|")
    for kind in sorted({bomb.kind for bomb in bombs}):
        same = [bomb for bomb in bombs if bomb.kind == kind]
        for command in COMMANDS + OTHERS:
            cells = [bomb.cells[command] for bomb in same if command in bomb.cells]
            if cells:
                print("| %s (%d) | %s | %d | %d | %d | %.2f | %d |"
                      % (kind, len(same), command, len(cells), sum(cell.code != 0 for cell in cells),
                         sum(cell.names_budget for cell in cells), max(cell.seconds for cell in cells),
                         max(cell.peak for cell in cells) // MEBIBYTE))


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", type=int, default=1, help="commands at once")
    parser.add_argument("--factor", type=float, default=1, help="how much longer than 2 s may be taken")
    parser.add_argument("--busy", action="store_true", help="judge the time of the processor, not of the clock")
    parser.add_argument("--brief", action="store_true", help="print the worst of each kind of file")
    parser.add_argument("--only", help="only files whose name contains this")
    parser.add_argument("--findings", action="append", default=[], help="a folder of more files (may be repeated)")
    parser.add_argument("--verbose", action="store_true", help="show the messages of bad cells")
    parser.add_argument("hscope")
    given = parser.parse_args()
    n_bad = 0

    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: the peak of a command begins with what this process has when it starts the command.
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            bombs = pool.submit(write_files, folder, given.only, given.findings).result()
        # What hscope and its libraries take without any file.
        own = measure([given.hscope, "--version"])[3]
        with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
            waiting = []
            for bomb in bombs:
                for command in COMMANDS + OTHERS:
                    options = arguments(command, bomb.path, bomb)
                    if options is not None:
                        # The list of targets has its place among the user's settings.
                        call = ["/usr/bin/env", "XDG_CONFIG_HOME=" + bomb.path] if bomb.kind == "targets" else []
                        call += [given.hscope, command.split()[0]] + options
                        waiting.append((bomb, command, pool.submit(judge, bomb, call, given, own)))
            for bomb, command, future in waiting:
                cell = bomb.cells[command] = future.result()
                n_bad += bool(cell.faults)
                if cell.faults:
                    print("bad: %s: %s: %s" % (bomb.name, command, cell.text), file=sys.stderr, flush=True)
                if cell.faults and given.verbose:
                    print(cell.message.decode(errors="replace")[:500], file=sys.stderr, flush=True)
        (print_brief if given.brief else print_all)(bombs)
        print("\n%d files, %d calls, %d bad; hscope alone takes %d MiB; load %.1f"
              % (len(bombs), len(waiting), n_bad, own // MEBIBYTE, os.getloadavg()[0]))
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
