"""hostile-folders.py — folders that a stranger has made, for every command that takes one: nothing outside of them changes, and nothing hangs.

usage: hostile-folders.py HSCOPE [--every | --huge | KIND…]    --every: also folders whose wrong part the command does not use
                                                              --huge: only folders with 100,000 entries
                                                              KIND: only these kinds of folders

Each call gets a folder of its own, beside files that must stay as they are: their names, types, modes, times and contents are hashed
before and after. Every command runs alone, with --sandbox, and with --sandbox=strict. Prints TAP, a line for each command and sandbox.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

HANG = 60  # seconds; a call takes a few at most
DURATIONS = []  # of calls: seconds, command, kind of folder

SANDBOXES = [(), ("--sandbox",), ("--sandbox=strict",)]

# F is the hostile folder; models, sweep and set lie in it. good is a folder of models beside it, O one for what is written.
COMMANDS = {
    "check --each": ["check", "--each", "F/models"],
    "info --each": ["info", "--each", "F/models"],
    "convert --each": ["convert", "--each", "F/models", "--to", "foreach", "--output", "O"],
    "convert --each into it": ["convert", "--each", "good", "--to", "foreach", "--output", "F/models"],
    "convert into it": ["convert", "good/m-symbol.json", "--weights", "float16", "--output", "F/models/m"],
    "new into it": ["new", "mlp?inputs=2&hidden=2&classes=2&batch=1", "--output", "F/models/m"],
    "train into it": ["train", "gallery:mlp?inputs=2&hidden=2&classes=2&batch=1", "--epochs", "1", "--output", "F/models/m"],
    "check --repair into it": ["check", "good/m-symbol.json", "--repair", "F/models/m"],
    "check --each --repair into it": ["check", "--each", "good", "--repair", "F/models"],
    "prove --each, first": ["prove", "--each", "F/models", "good"],
    "prove --each, second": ["prove", "--each", "good", "F/models"],
    "sweep --resume": ["sweep", "--output", "F/sweep", "--resume"],
    "sweep --cells": ["sweep", "--output", "F/sweep", "--cells", "1"],
    "sweep, a new one": ["sweep", "--models", "good/m-symbol.json", "--samples", "1", "--output", "F/sweep"],
    "sweep of its models": ["sweep", "--models", "F/models/m-symbol.json", "--samples", "1", "--output", "O/s"],
    "report": ["report", "F/sweep"],
    "report --output": ["report", "F/sweep", "--output", "O/r.csv"],
    "run --input": ["run", "good/m-symbol.json", "--init", "uniform", "--input", "F/set"],
    "selftest --goldens": ["selftest", "--goldens", "F/models"],
    "info": ["info", "F/models"],
    "check": ["check", "F/models/m-symbol.json"],
}

# Names that commands look for.
NAMES = [
    "models", "models/m-symbol.json", "models/m-0000.params", "models/m.json", "models/below", "models/below/n-symbol.json",
    "sweep", "sweep/plan.json", "sweep/cells", "sweep/cells.jsonl", "sweep/captures", "sweep/slurm-job",
    "sweep/cells/000000.json", "sweep/cells/000001.json", "sweep/cells/000001.part", "sweep/captures/000000.hscope",
    "sweep/captures/000001.hscope", "set", "set/input_0.pb", "set/output_0.pb",
]


def link(target):
    return lambda path, work: path.symlink_to(work / target)


def bind(path, work):
    with socket.socket(socket.AF_UNIX) as end:
        short = work / "s"  # names of sockets are short
        end.bind(str(short))
        short.rename(path)


def device(path, work):
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


# What stands in place of a name: 80 folders.
THINGS = {
    "a link to a file": link("outside/file"),
    "a link to a folder": link("outside"),
    "a link to nothing": link("outside/absent"),
    "a pipe": lambda path, work: os.mkfifo(path),
}


# Folders that are wrong as a whole.
def all_links(folder, work):
    for name in reversed(NAMES):
        replace(folder / name, work, link("outside/deep/" + name.replace("/", "-")))


def loops(folder, work):
    for name in ("models/m-symbol.json", "models/below", "sweep/cells", "sweep/plan.json", "set"):
        replace(folder / name, work, lambda path, _: path.symlink_to(path.name))


def sockets(folder, work):
    for name in ("models/m-symbol.json", "models/m-0000.params", "sweep/plan.json", "sweep/cells/000000.json", "set/input_0.pb"):
        replace(folder / name, work, bind)


def devices(folder, work):
    for name in ("models/m-symbol.json", "models/m-0000.params", "sweep/plan.json", "sweep/cells/000000.json", "set/input_0.pb"):
        replace(folder / name, work, device)


def hard_links(folder, work):
    for name in ("models/m-symbol.json", "sweep/cells.jsonl", "sweep/cells/000001.part", "sweep/captures/000001.hscope"):
        replace(folder / name, work, lambda path, w: os.link(w / "outside/file", path))


def others(folder, work):
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, 65534, 65534)


def read_only(folder, work):
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def options(folder, work):
    for name in ("--output=outside", "-rf", "--plugin=x.so", "--", "a\nb", "\x1b[31m", "%s%n", "$(touch outside/x)"):
        for place in ("models", "sweep/cells", "set"):
            (folder / place / (name.replace("/", "_") + "-symbol.json")).write_text("{}")


def many(folder, work, count=6000):
    for i in range(count // 2):
        (folder / "models" / ("x%d" % i)).touch()
        (folder / "sweep/cells" / ("x%d" % i)).touch()


def huge(folder, work):
    many(folder, work, 100_000)


def deep(folder, work):
    path = folder / "models"
    for _ in range(40):
        path = path / "d"
    path.mkdir(parents=True)


def plan_of_others(folder, work):
    plan = folder / "sweep/plan.json"
    text = plan.read_text()
    plan.write_text(text.replace("good/m-symbol.json", "--output=outside/x"))


def result_of_others(folder, work):
    for i in range(2):
        (folder / ("sweep/cells/%06d.json" % i)).write_text('{"cell": 0, "status": "done", "capture": "../../outside/file"}\n')


def empty(folder, work):
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"")


def noise(folder, work):
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(bytes(range(256)) * 40)


def sparse(folder, work):
    for name in ("models/m-symbol.json", "sweep/plan.json", "sweep/cells/000000.json", "set/input_0.pb"):
        os.truncate(folder / name, 1 << 40)


WHOLE = {
    "all links": all_links, "loops": loops, "sockets": sockets, "devices": devices, "hard links": hard_links, "another owner": others,
    "read only": read_only, "names like options": options, "many entries": many, "deep": deep, "a plan of others": plan_of_others,
    "results of others": result_of_others, "empty files": empty, "noise": noise, "sparse files": sparse, "vanishing": None,
}


def replace(path, work, make):
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path)
    if path.parent.is_dir() and not path.parent.is_symlink():
        make(path, work)


def is_named(command, kind):
    """Whether the user has named the very path that is a link, or a folder above: that is followed."""
    name = kind.split(": ")[0]
    named = [word[2:] for word in COMMANDS[command] if word.startswith("F/")]
    return any(name == path or path.startswith(name + "/") for path in named)


def is_used(command, kind):
    """Whether the command looks at what is wrong."""
    part = kind.split(": ")[0].split("/")[0]
    return kind in WHOLE or any(word.startswith("F/" + part) for word in COMMANDS[command])


def folders():
    for name in NAMES:
        for thing, make in THINGS.items():
            yield "%s: %s" % (name, thing), lambda folder, work, n=name, m=make: replace(folder / n, work, m)
    yield from WHOLE.items()


def digest(work):
    """Of everything but the hostile folder, what is written, and the folder for temporary files."""
    total = hashlib.sha256()
    for path in sorted([work, *(p for p in work.rglob("*") if p.relative_to(work).parts[0] not in ("F", "O", "tmp"))]):
        status = path.lstat()
        total.update(repr((str(path), status.st_mode, status.st_uid, status.st_ino)).encode())
        if path != work:
            total.update(repr((status.st_size, status.st_mtime_ns)).encode())
        if stat.S_ISREG(status.st_mode):
            total.update(path.read_bytes())
    return total.hexdigest()


def prepare(template, work, make):
    shutil.copytree(template, work, symlinks=True)
    (work / "O").mkdir()
    (work / "tmp").mkdir()
    if make:
        make(work / "F", work)


def flicker(folder, over):
    """Files vanish and come back as something else."""
    while not over.wait(0.002):
        for name in ("models/m-symbol.json", "sweep/cells/000000.json", "set/input_0.pb", "sweep/plan.json"):
            aside = folder / (name + ".aside")
            try:
                os.rename(folder / name, aside)
                os.symlink(folder.parent / "outside/file", folder / name)
                os.unlink(folder / name)
                os.rename(aside, folder / name)
            except OSError:
                pass


def call(template, hscope, command, sandbox, kind, make):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory(prefix="folders-") as place:
        work = pathlib.Path(place) / "w"
        try:
            prepare(template, work, make)
        except PermissionError:
            return None
        before = digest(work)
        over = threading.Event()
        thread = None if make else threading.Thread(target=flicker, args=(work / "F", over))
        if thread:
            thread.start()
        trouble = None
        begin = time.monotonic()
        child = subprocess.Popen([hscope, *sandbox, *COMMANDS[command]], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": str(work / "tmp")}, start_new_session=True)
        try:
            text = child.communicate(timeout=HANG)[0]
            if child.returncode not in range(5):
                trouble = "status %d: %s" % (child.returncode, text[-200:])
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            trouble = "it hangs"
        DURATIONS.append((time.monotonic() - begin, command, kind))
        over.set()
        if thread:
            thread.join()
        if not trouble and digest(work) != before and not is_named(command, kind):
            trouble = "something outside has changed"
        for path in [work / "F", *(work / "F").rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        return trouble and "%s: %s" % (kind, trouble)


def make_template(hscope, work):
    def run(*words):
        subprocess.run([hscope, *words], cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    (work / "outside/deep").mkdir(parents=True)
    (work / "outside/file").write_text("mine\n")
    for folder in ("good", "F/models", "F/models/below", "F/set"):
        (work / folder).mkdir(parents=True)
    run("new", "mlp?inputs=2&hidden=2&classes=2&batch=1", "--output", "good/m")
    for path in (work / "good").iterdir():
        shutil.copy(path, work / "F/models")
        shutil.copy(path, work / "F/models/below" / path.name.replace("m-", "n-"))
    for name in ("input_0.pb", "output_0.pb"):
        (work / "F/set" / name).write_bytes(b"\x08\x01\x08\x02\x10\x01\x42\x01x\x4a\x08" + b"\0" * 8)  # a tensor of 1 × 2
    run("sweep", "--models", "good/m-symbol.json", "--batch", "1,2", "--samples", "1", "--output", "F/sweep")
    (work / "F/sweep/cells/000001.json").unlink()


def main():
    temporary_folder.use()
    hscope, kinds = os.path.abspath(sys.argv[1]), sys.argv[2:]
    is_every = kinds == ["--every"]
    all_folders = [(kind, make) for kind, make in folders() if not kinds or is_every or kind in kinds]
    if kinds == ["--huge"]:
        all_folders = [("100,000 entries", huge)]
        WHOLE["100,000 entries"] = huge
    rows = [(command, sandbox) for command in COMMANDS for sandbox in SANDBOXES]
    print("1..%d" % len(rows))
    print("# %d folders" % len(all_folders))
    with tempfile.TemporaryDirectory(prefix="folders-") as place:
        template = pathlib.Path(place) / "template"
        template.mkdir()
        make_template(hscope, template)
        with concurrent.futures.ThreadPoolExecutor(max(os.cpu_count() or 1, 2)) as pool:
            calls = [[pool.submit(call, template, hscope, *row, kind, make) for kind, make in all_folders
                      if is_every or is_used(row[0], kind)] for row in rows]
            for number, (row, results) in enumerate(zip(rows, calls), 1):
                troubles = [trouble for trouble in (result.result() for result in results) if trouble]
                print("%sok %d %s" % ("not " if troubles else "", number, " ".join([row[0], *row[1]])), flush=True)
                for trouble in troubles[:20]:
                    print("# " + trouble.replace("\n", " "), flush=True)
    print("# the longest of %d calls: %.1f s, %s, %s" % (len(DURATIONS), *max(DURATIONS)))


main()
