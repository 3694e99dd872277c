"""compare_runs.py — runs hscope compare while other programs use the machine, and reads its JSON.

Shared by same.py, planted.py and buckets.py.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import contextlib
import json
import os
import subprocess
import sys


@contextlib.contextmanager
def busy_cores(count):
    """Keeps this many of the last cores busy."""
    cores = sorted(os.sched_getaffinity(0))
    loops = []
    for core in cores[len(cores) - count :] if count else []:
        loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        os.sched_setaffinity(loop.pid, {core})
        loops.append(loop)
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def compare(hscope, *arguments, seconds):
    """The document of hscope compare --json."""
    command = [hscope, "compare", *arguments, "--json", "--progress", "none", "--time-limit", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def causes(explanation):
    """The names of the buckets that the explanation's headline names as causes."""
    if not explanation["has_cause"]:
        return []
    return [bucket["name"] for bucket in explanation["buckets"] if bucket["name"] + " (" in explanation["reason"]]
