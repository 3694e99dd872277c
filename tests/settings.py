#!/usr/bin/env python3
"""settings.py — the tests give the same verdicts under other levels, processors, locales, folders and clocks.

usage: settings.py BUILD [--only SETTING]… [TEST…]    TEST: as for meson test (default: the suite "fast"); BUILD must be built

Every setting runs the same tests; a test whose result is another one than without a setting fails the setting. The clock that jumps is for
every-command.sh alone, where it is given to hscope and not to what runs the tests. A setting whose tool is missing is skipped. Prints TAP,
and which processor this is: others were not seen.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import temporary_folder

TREE = pathlib.Path(__file__).resolve().parent.parent
JUMPS = ["+3h", "-5h", "+0", "-2d", "+400d", "-30y"]


def processors(count):
    """A library in whose presence the machine has so many processors."""
    def prepare(work):
        source, library = work / f"{count}.c", work / f"{count}.so"
        source.write_text(f"unsigned g_get_num_processors (void) {{ return {count}; }}\n")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
        return {"LD_PRELOAD": str(library)}
    return prepare


def german(work):
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", work / "de_DE.UTF-8"], check=True, capture_output=True)
    return {"LOCPATH": str(work), "LC_ALL": "de_DE.UTF-8"}


def other_folders(_work):
    """Temporary files in memory, a home that cannot be written."""
    return {"TMPDIR": "/dev/shm", "HOME": "/proc", "XDG_CACHE_HOME": "/proc/a", "XDG_CONFIG_HOME": "/proc/b", "XDG_DATA_HOME": "/proc/c"}


SETTINGS = {
    "SSE2": lambda _work: {"HYB_CPU": "sse2"},
    "AVX2": lambda _work: {"HYB_CPU": "avx2"},
    "one core": lambda _work: {},
    "three processors": processors(3),
    "eight processors": processors(8),
    "German": german,
    "other folders": other_folders,
}
BEFORE = {"one core": ["taskset", "-c", str(min(os.sched_getaffinity(0)))]}


def run(build, tests, name, environment):
    """Results by test."""
    log = "settings-" + name.replace(" ", "-")
    command = [*BEFORE.get(name, []), "meson", "test", "-C", build, "--no-rebuild", "--logbase", log, "--timeout-multiplier", "4", *tests]
    subprocess.run(command, env={**os.environ, "LC_ALL": "C.UTF-8", **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    lines = (pathlib.Path(build) / "meson-logs" / (log + ".json")).read_text().splitlines()
    return {result["name"]: result["result"] for result in map(json.loads, lines)}


def run_clock(build, work):
    """What every-command.sh says while the clock jumps by hours and years; None without libfaketime."""
    library = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
    if not library:
        return None
    clock, over = work / "clock", threading.Event()
    clock.write_text("+0")

    def jump():
        while not over.is_set():
            for moment in JUMPS:
                (work / "next").write_text(moment)
                os.replace(work / "next", clock)
                over.wait(0.2)

    thread = threading.Thread(target=jump)
    thread.start()
    fake = [f"LD_PRELOAD={library}", f"FAKETIME_TIMESTAMP_FILE={clock}", "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"]
    done = subprocess.run(["sh", TREE / "tests/every-command.sh", build, "2", "env", "-u", "FAKETIME_SHARED", *fake], capture_output=True, text=True, check=False)
    over.set()
    thread.join()
    return done.stdout


def processor():
    names = {line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")}
    return ", ".join(sorted(names)) or "unknown"


def report(number, name, troubles):
    print(f"{'not ok' if troubles else 'ok'} {number} {name}", flush=True)
    for trouble in troubles[:20]:
        print("# " + trouble, flush=True)
    return bool(troubles)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--only", action="append", choices=[*SETTINGS, "a clock that jumps"])
    options = parser.parse_args()
    tests = options.tests or ["--suite", "fast"]
    names = options.only or [*SETTINGS, "a clock that jumps"]
    is_wrong = False
    print(f"1..{len(names)}\n# processor: {processor()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="settings-") as folder:
        work = pathlib.Path(folder)
        usual = run(options.build, tests, "usual", {}) if set(names) & set(SETTINGS) else {}
        print(f"# {len(usual)} tests, {sum(result == 'OK' for result in usual.values())} passed without a setting", flush=True)
        for number, name in enumerate(names, 1):
            if name in SETTINGS:
                try:
                    environment = SETTINGS[name](work)
                except (OSError, subprocess.CalledProcessError) as problem:
                    print(f"ok {number} {name} # SKIP {problem}", flush=True)
                    continue
                got = run(options.build, tests, name, environment)
                is_wrong |= report(number, name, [f"{test}: {got.get(test)} instead of {usual[test]}" for test in usual if got.get(test) != usual[test]])
                continue
            said = run_clock(options.build, work)
            if said is None:
                print(f"ok {number} {name} # SKIP libfaketime is not installed", flush=True)
            else:
                is_wrong |= report(number, name, [line for line in said.splitlines() if line.startswith("not ok")])
    return is_wrong


if __name__ == "__main__":
    if shutil.which("meson") is None:
        sys.exit("settings.py: meson is not installed")
    sys.exit(main())
