"""same-answers.py — commands that are asked the same about public exports give the same answer.

usage: same-answers.py HSCOPE [FOLDER…]    without a FOLDER: models and onnx in $HYB_SHARED or ../shared

For every model below the folders, the arguments, auxiliary states and outputs that info and check list are equal, also with one more
sample than the file tells; hscope FILE is hscope info FILE; and both fail with the same status and message or not at all.  What keeps
info from opening a file may be an error that check finds.  Prints TAP, a line for each folder.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

SECONDS = 600
KEYS = ("arguments", "auxiliary", "outputs")


def is_model(path):
    return path.name.endswith(("-symbol.json", ".onnx", ".pt2")) or (path.suffix == ".json" and b'"nodes"' in path.read_bytes()[:4096])


def ask(hscope, *words):
    """(status, document)"""
    child = subprocess.run([hscope, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=SECONDS)
    return child.returncode, json.loads(child.stdout)


def more_samples(info):
    """An option that makes the first input with a known shape one sample larger; None if there is none."""
    for argument in info.get("arguments", []):
        shape = argument["shape"]
        if argument["role"] == "data" and shape and all(isinstance(size, int) for size in shape) and "," not in argument["name"]:
            return "%s=%s" % (argument["name"], ",".join(str(size + (i == 0)) for i, size in enumerate(shape)))
    return None


def compare(path, words, info, check):
    """Yields what differs."""
    finding = (check[1].get("findings") or [{}])[0]
    if "error" in info[1] and check[0] == 1 and finding.get("message") == info[1]["error"]["message"]:
        return
    if "error" in info[1] or "error" in check[1]:
        if (info[0], info[1].get("error")) != (check[0], check[1].get("error")):
            yield "%s %s: info ends with %d %s, check with %d %s" % (path, words, info[0], info[1].get("error"), check[0], check[1].get("error"))
        return
    for key in KEYS:
        a, b = info[1].get(key), check[1].get(key)
        if a != b:
            wrong = [(x, y) for x, y in zip(a or [], b or []) if x != y][:2]
            yield "%s %s: %s: info %s, check %s" % (path, words, key, wrong or len(a or []), "" if wrong else len(b or []))


def try_model(hscope, path):
    wrong = []
    try:
        info = ask(hscope, "info", str(path))
        wrong += compare(path.name, "", info, ask(hscope, "check", str(path)))
        if ask(hscope, str(path)) != info:
            wrong.append("%s: hscope FILE is not hscope info FILE" % path.name)
        larger = more_samples(info[1])
        if larger:
            words = ("--shape", larger)
            wrong += compare(path.name, larger, ask(hscope, "info", str(path), *words), ask(hscope, "check", str(path), *words))
    except (ValueError, subprocess.TimeoutExpired) as problem:
        wrong.append("%s: %s" % (path.name, problem))
    return wrong


def main():
    hscope, places = os.path.abspath(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:]]
    if not places:
        shared = os.environ.get("HYB_SHARED") or pathlib.Path(__file__).resolve().parents[3] / "shared"
        places = [pathlib.Path(shared) / name for name in ("models", "onnx")]
    folders = sorted({folder for place in places for folder in (place.iterdir() if place.is_dir() else []) if folder.is_dir()})
    if not folders:
        print("1..0 # SKIP there is no folder of models (HYB_SHARED)")
        return
    print("1..%d" % len(folders))
    with concurrent.futures.ThreadPoolExecutor(max(os.cpu_count() or 1, 2)) as pool:
        for number, folder in enumerate(folders, 1):
            models = [path for path in sorted(folder.rglob("*")) if path.is_file() and is_model(path)]
            wrong = [text for texts in pool.map(lambda path: try_model(hscope, path), models) for text in texts]
            print("%sok %d %s: %d models" % ("not " if wrong else "", number, folder.name, len(models)), flush=True)
            for text in wrong[:40]:
                print("# " + text[:600].replace("\n", " "), flush=True)


main()
