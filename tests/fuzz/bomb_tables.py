# bomb_tables.py - hostile plans and folders of sweeps, lists of targets, and numbers for an overlay.
#
# Each maker returns the text of one file, or a dictionary of the files of a folder.
# SPDX-License-Identifier: LGPL-2.1-or-later
import json

AXES = ["repeat", "models", "batch", "length", "passes", "devices", "threads", "modes", "variants"]


def numbers(n):
    return [str(i + 1) for i in range(n)]


# --- Folders of sweeps ---


def plan(**axes):
    """The plan of a folder; an axis that is not given has one value."""
    facts = {"version": 1, "task": "measure", "cells": 1, "samples": 3, "time_limit": 0}
    for axis in AXES:
        facts[axis] = axes.get(axis, ["1"] if axis == "repeat" else [""])
    return json.dumps(facts)


def result(cell, worker="here.1.1", **facts):
    line = {"cell": cell, "median": 1e-3 * (cell + 1), "low": 1e-3, "high": 1, "worker": worker, "seconds": 10, "ended": 100}
    return json.dumps({**line, **facts}) + "\n"


def sweep(text, lines=()):
    """A folder with this plan, and with lines of its cells, from the first one on."""
    return {"plan.json": text, **{"done/%06d.json" % cell: line for cell, line in enumerate(lines)}}


def crowded_sweep(n):
    """All cells of a plan at once on the same machine, by as many workers."""
    return sweep(plan(batch=numbers(n)), [result(cell, "here.%d.1" % cell) for cell in range(n)])


def foreign_files(n):
    """Files that belong to no cell."""
    return {"plan.json": plan(), **{"failed/%07d.json" % name: "{}" for name in range(n)}}


# --- Plans ---


def plan_file(**keys):
    return "[sweep]\n" + "".join("%s = %s\n" % (key.replace("_", "-"), value) for key, value in keys.items())


def wide_plan(**counts):
    """A plan with so many values of each axis."""
    return plan_file(models="m-symbol.json", **{axis: ",".join(numbers(n)) for axis, n in counts.items()})


# --- Targets ---


def targets(text):
    return {"hybridscope/targets.ini": text}


def target(name, launcher="ssh host", **keys):
    return "[%s]\nlauncher = %s\n" % (name, launcher) + "".join("%s = %s\n" % pair for pair in keys.items())


TABLES = {
    "sweep: 10^6 cells, none done": ("sweep", lambda: sweep(plan(models=["m%d" % i for i in range(1000)], batch=numbers(1000)))),
    "sweep: 10000 rounds of 100 batches": ("sweep", lambda: sweep(plan(repeat=numbers(10000), batch=numbers(100)))),
    "sweep: 100 tables of 10000 fields": ("sweep", lambda: sweep(plan(models=["m%d" % i for i in range(100)], batch=numbers(100),
                                                                      length=numbers(100)))),
    "sweep: 10000 forms in pairs": ("sweep", lambda: sweep(plan(variants=["unrolled", "fused"] * 5000), [result(0)])),
    "sweep: 10^9 cells": ("sweep", lambda: sweep(plan(batch=numbers(1000), length=numbers(1000), threads=numbers(1000)))),
    "sweep: 10001 values of an axis": ("sweep", lambda: sweep(plan(batch=numbers(10001)))),
    "sweep: plan of 17 MB": ("sweep", lambda: sweep(plan(models=["m" * (17 << 20)]))),
    "sweep: name of 15 MB": ("sweep", lambda: sweep(plan(models=["m" * (15 << 20)], batch=numbers(1000)))),
    "sweep: plan of brackets": ("sweep", lambda: sweep("[" * 1000000)),
    "sweep: 2000 cells at once": ("sweep", lambda: crowded_sweep(2000)),
    "sweep: lines of brackets": ("sweep", lambda: sweep(plan(batch=numbers(50)), ["[" * 262144] * 50)),
    "sweep: lines of 1 MB": ("sweep", lambda: sweep(plan(batch=numbers(50)), [result(0, reason="r" * (1 << 20))] * 50)),
    "sweep: values that are none": ("sweep", lambda: sweep(plan(batch=numbers(4)), [
        '{"median": 1e999}', '{"median": -1, "low": "x", "ended": -1e308, "seconds": 1e308}', '{"median": {}}', "null"])),
    "sweep: 5000 files of no cell": ("sweep", lambda: foreign_files(5000)),
    "plan: 10^6 + 1000 cells": ("plan", lambda: wide_plan(batch=1001, length=1000)),
    "plan: 10^12 cells": ("plan", lambda: wide_plan(batch=10000, length=10000, threads=10000)),
    "plan: 10001 values": ("plan", lambda: wide_plan(batch=10001)),
    "plan: 2^63 rounds": ("plan", lambda: plan_file(models="m-symbol.json", repeat=1 << 63)),
    "plan: 1 MB of commas": ("plan", lambda: plan_file(models="," * 1000000)),
    "plan: 2 MB": ("plan", lambda: plan_file(models="m" * (2 << 20))),
    "plan: 60000 groups": ("plan", lambda: "".join("[g%d]\n" % i for i in range(60000))),
    "plan: 60000 keys": ("plan", lambda: "[sweep]\n" + "".join("k%d=\n" % i for i in range(60000))),
    "plan: numbers that are none": ("plan", lambda: plan_file(models="m-symbol.json", samples="nan", time_limit="-inf")),
    "targets: 10000 of them": ("targets", lambda: targets("".join("[t%d]\nlauncher=a\n" % i for i in range(10000)))),
    "targets: 1 MB": ("targets", lambda: targets(target("a", "x" * (1 << 20)))),
    "targets: launcher of quotes": ("targets", lambda: targets(target("a", "'\"" * 2000))),
    "targets: name of 200 KB": ("targets", lambda: targets(target("n" * 200000))),
    "targets: keys of 250 KB": ("targets", lambda: targets(target("a", "ssh", **{"k%d" % i: "" for i in range(25000)}))),
    "targets: zeros": ("targets", lambda: targets("\0" * 200000)),
    "overlay: brackets": ("overlay", lambda: '{"a": ' + "[" * 2000000),
    "overlay: objects in objects": ("overlay", lambda: '{"a": ' * 300000 + "1" + "}" * 300000),
    "overlay: 300000 numbers": ("overlay", lambda: json.dumps({"n%d" % i: i for i in range(300000)})),
    "overlay: the same name 300000 times": ("overlay", lambda: "{" + '"w0": 1, ' * 300000 + '"w0": 2}'),
    "overlay: name of 8 MB": ("overlay", lambda: json.dumps({"n" * (8 << 20): 1, "w0": 2})),
    "overlay: numbers that are none": ("overlay", lambda: '{"w0": 1e999, "data": -1e999, "x": nan}'),
    "overlay: huge and tiny": ("overlay", lambda: '{"w0": 1.7e308, "data": -1.7e308, "operator2": 5e-324}'),
    "overlay: 30000 graphs of results": ("overlay", lambda: json.dumps({"g%d" % i: {"results": {"w0": {"value": i}}}
                                                                      for i in range(30000)})),
}
