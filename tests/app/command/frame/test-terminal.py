"""test-terminal.py — what hscope shows on a terminal: captured screens of 60, 80 and 200 columns.

usage: test-terminal.py HSCOPE

Runs commands on a pseudo-terminal and interprets what they write as a terminal does: carriage returns, line breaks, wrapping at the
last column, and the sequences that erase a line or set a colour. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
import temporary_folder  # noqa: E402

SEQUENCE = re.compile(r"\033\[([0-9;]*)([A-Za-z])")
LINE = re.compile(r"^(\[[#.]{24}\] )? *(\d+) % .*?(?:, at most (\d+) (s|min) left)?$")


class Screen:
    """The text of a terminal: lines of cells, and where the cursor is."""

    def __init__(self, columns):
        self.columns, self.lines, self.column, self.colours = columns, [""], 0, 0

    def write(self, text):
        """Interprets text; every character takes one column."""
        at = 0
        while at < len(text):
            sequence = SEQUENCE.match(text, at)
            if sequence:
                self.colours += sequence[2] == "m"
                if sequence[2] == "K":
                    self.lines[-1] = self.lines[-1][:self.column]
                at = sequence.end()
                continue
            if text[at] == "\r":
                self.column = 0
            elif text[at] == "\n":
                self.lines.append("")
            else:
                if self.column == self.columns:
                    self.lines.append("")
                    self.column = 0
                line = self.lines[-1]
                self.lines[-1] = line[:self.column] + text[at] + line[self.column + 1:]
                self.column += 1
            at += 1


def show(program, words, columns, folder, **variables):
    """Runs hscope on a terminal of so many columns. Returns the screen at its end, and its last line after each write."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    environment.update({"TERM": "xterm", **variables})
    process = subprocess.Popen([program, *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    screen, last, rest = Screen(columns), [], b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:     # the other side is closed
            break
        if not piece:
            break
        # One write at a time: each line of progress begins with a carriage return.
        for part in re.split(rb"(?=\r(?!\n))", rest + piece):
            try:
                screen.write(part.decode())
                rest = b""
            except UnicodeDecodeError as error:
                screen.write(part[:error.start].decode())
                rest = part[error.start:]
            last.append(screen.lines[-1])
    os.close(ours)
    return process.wait(), screen, last


def check_progress(program, words, columns, folder):
    """Returns what is wrong with the progress of a command, or ""."""
    status, screen, last = show(program, words, columns, folder)
    shown = [LINE.match(line) for line in last if " % " in line and (line.startswith("[") or line.startswith(" "))]
    shown = [line for line in shown if line]
    if status != 0:
        return f"ended with {status}\n" + "\n".join(screen.lines)
    if len(shown) < 3:
        return "there is no progress\n" + "\n".join(last)
    if any(len(line[0]) >= columns for line in shown):
        return "a line does not fit"
    if any(LINE.match(line) and " % " in line for line in screen.lines if line.startswith("[")):
        return "progress is left on the screen\n" + "\n".join(screen.lines)
    if (columns > 56) != bool(shown[0][1]):
        return "the bar is there, or missing"
    shares = [int(line[2]) for line in shown]
    seconds = [int(line[3]) * (60 if line[4] == "min" else 1) for line in shown if line[3]]
    if shares != sorted(shares):
        return f"shares go backwards: {shares}"
    if seconds != sorted(seconds, reverse=True):
        return f"times grow: {seconds}"
    return ""


PROFILE = ["profile", "gallery:lstm-lm?hidden=16&length=8", "--time-limit", "5", "--warmup", "3"]
COMPARE = ["compare", "gallery:lstm-unrolled?hidden=16&length=4", "--variants", "unrolled,fused", "--batch", "1,2", "--time-limit", "10"]
TRAIN = ["train", "gallery:mlp", "--epochs", "3"]


def check_quiet(program, folder):
    """Without notes, progress and names of files, results and warnings are left."""
    noisy = show(program, ["new", "mlp", "--output", "net"], 80, folder)[1].lines
    quiet = show(program, ["new", "mlp", "--output", "net", "--quiet"], 80, folder)[1].lines
    info = show(program, ["info", "net-symbol.json", "--quiet"], 80, folder)[1].lines
    profile = show(program, PROFILE + ["--quiet"], 80, folder)
    if not any(line.startswith("wrote ") for line in noisy):
        return "new names no file"
    if any(line.startswith("wrote ") for line in quiet):
        return "new --quiet names files"
    if any("note" in line for line in info):
        return "\n".join(info)
    return "\n".join(profile[2]) if any(" % " in line and line.startswith("[") for line in profile[2]) else ""


def check_dumb(program, folder):
    """A terminal that understands no sequences gets none, and no progress."""
    _, screen, last = show(program, PROFILE, 80, folder, TERM="dumb")
    if any(line.startswith("[") for line in last):
        return "there is progress"
    return "there are colours" if screen.colours else ""


def check_columns(program, folder):
    """COLUMNS makes lines shorter than the terminal is wide."""
    last = show(program, PROFILE, 120, folder, COLUMNS="50")[2]
    lines = [line for line in last if LINE.match(line) and "left" in line]
    return "" if lines and all(len(line) < 50 for line in lines) else "\n".join(last[:5])


def main():
    """Runs all checks."""
    temporary_folder.use()
    program, number = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        checks = [(f"/terminal/{words[0]}-shows-one-line-at-{columns}-columns",
                   lambda words=words, columns=columns: check_progress(program, words, columns, folder))
                  for words in (PROFILE, COMPARE, TRAIN) for columns in (40, 60, 80, 200)]
        checks += [("/terminal/quiet-leaves-results", lambda: check_quiet(program, folder)),
                   ("/terminal/a-dumb-terminal-gets-plain-text", lambda: check_dumb(program, folder)),
                   ("/terminal/COLUMNS-limits-lines", lambda: check_columns(program, folder))]
        for number, (name, check) in enumerate(checks, 1):
            wrong = check()
            print("not ok" if wrong else "ok", number, name, flush=True)
            for line in wrong.split("\n") if wrong else []:
                print("#", line)
    print(f"1..{number}")


main()
