#!/usr/bin/env python3
"""speed-table.py — measures `hscope bench` beside its peers at AVX2 and AVX-512, and writes the tables of docs/speed.md.

usage: speed-table.py measure --ours "build/app/hscope bench" --scripts FOLDER --env .peers --json FILE [options]
       speed-table.py table FILE [--cases] [--into docs/speed.md]

FOLDER has the peers' programs (compare, bench.py, cases.py); --env names what their setup made. `measure` takes turns between
our program and the peers as compare does, and computes the same paired ratios. Choosing the fastest two peers of each case from
an earlier FILE (--choice) makes it four times as fast. The peers of the AVX2 rows are held to AVX2, too: MXNet and PyTorch by
their libraries' settings, ONNX Runtime by the copy that tools/peers-at-avx2.py makes. FILE is written after every case, and a
run that was interrupted goes on where it stopped. --random 40 --seed 7 measures recurrent layers whose sizes are drawn at
random, so that no list of sizes can be tuned for. --precision 0.03 measures the two fastest peers of each case, which one sample of the
likely ones tells, in as many rounds (3 to --rounds) as make the ratio good to 3 %. `table` writes Markdown: how ratios are distributed, and each case with
--cases; into a page between its two marks with --into.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time

CONFIGURATIONS = [("avx2", 1), ("avx512", 1), ("avx2", 2), ("avx512", 2)]
AT_AVX2 = {"HYB_CPU": "avx2", "OPENBLAS_CORETYPE": "Haswell", "DNNL_MAX_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2",
           "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
NAMES = {"avx2": "AVX2", "avx512": "AVX-512"}
LIMIT = 1.05    # a case above this ratio is named
MAX_FLOP = 6e9  # of one run of a random case, so that a peer takes at most some tenths of a second
CHOSEN = 2      # peers that are measured where a choice or a precision is given
SETTLED = 0.06  # seconds of samples for each program and round where a precision is given
LEAST_ROUNDS = 3
STUDENT = [math.inf, 12.7, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36]  # of 95 %, by degrees of freedom; the last for more

# The peers that were the fastest of some case of a phase and form on any machine so far, and the next; others are never asked.
LIKELY = {("infer", "fused"): ["mxnet-symbol", "torch", "ort"], ("infer", "unrolled"): ["torch", "ort"], ("infer", "foreach"): ["torch", "ort"],
          ("train", "fused"): ["mxnet-static", "mxnet-symbol", "torch"], ("train", "unrolled"): ["mxnet-static", "torch"],
          ("train", "foreach"): ["mxnet-static", "torch"]}


def load_compare(folder):
    """The peers' own script as a module: how programs are asked and ratios computed stays in one place."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("compare", os.path.join(folder, "compare"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
    loader.exec_module(module)
    return module


class Held:
    """A program of compare.py that starts with some variables of the environment."""

    def __init__(self, program, variables):
        self.program, self.variables, self.name = program, variables, program.name

    def ask(self, case, repeat):
        before = dict(os.environ)
        os.environ.update(self.variables)
        try:
            return self.program.ask(case, repeat)
        finally:
            os.environ.clear()
            os.environ.update(before)

    def stop(self):
        self.program.stop()


# --- Random cases ---


def draw_logarithmic(generator, low, high):
    """A whole number from low to high, each factor as probable as any other."""
    return round(math.exp(generator.uniform(math.log(low), math.log(high))))


def draw_case(generator):
    """The name of a recurrent case: batch 1, 2 to 16 and 17 to 64 equally often, any width from 16 to 2048."""
    cell = generator.choice(["lstm", "lstm", "gru", "rnn"])
    phase = generator.choice(["infer", "infer", "train"])
    form = generator.choice(["fused", "fused", "unrolled", "foreach"])
    hidden, steps = draw_logarithmic(generator, 16, 2048), draw_logarithmic(generator, 5, 100)
    batch = generator.choice([1, generator.randint(2, 16), generator.randint(17, 64)])
    gates = {"lstm": 4, "gru": 3, "rnn": 1}[cell]
    step_flop = 4 * gates * hidden * hidden * batch * (3 if phase == "train" else 1)
    steps = max(3, min(steps, int(MAX_FLOP / step_flop)))
    return f"{cell}-{phase}-h{hidden}-t{steps}-b{batch}-{form}"


def draw_cases(n, seed):
    """n different names; the same for the same seed."""
    generator, names = random.Random(seed), {}
    while len(names) < n:
        names[draw_case(generator)] = None
    return list(names)


# --- Measuring ---


def programs_of(compare, options, level, threads):
    """Our program and every peer that is installed, by name."""
    settings = argparse.Namespace(threads=threads, pin=False)
    variables = dict(AT_AVX2) if level == "avx2" else {}
    programs = {"ours": Held(compare.Ours(options.ours, settings), variables)}
    for name, python in compare.find_pythons(options.env).items():
        if name not in compare.DEFAULT_PEERS:
            continue
        held = dict(variables)
        copy = os.path.join(options.env, "ort-avx2")
        if name == "ort" and level == "avx2" and os.path.isdir(copy):
            held["PYTHONPATH"] = copy
        programs[name] = Held(compare.Peer(name, python, settings), held)
    return programs


def floors_of(options, level, threads, cases):
    """The floor of each case in seconds, and the rates of the machine; empty without the program for them."""
    program = os.path.join(options.env, "limits" if level == "avx512" else "limits-avx2")
    if not os.path.exists(program):
        return {}, {}
    variables = dict(os.environ, **(AT_AVX2 if level == "avx2" else {}))
    done = subprocess.run([program, "--threads", str(threads)] + cases, stdout=subprocess.PIPE, text=True, env=variables, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    rates = {row["rate"]: [row["value"], row["unit"]] for row in rows if "rate" in row}
    return {row["case"]: row["seconds"] for row in rows if row.get("seconds")}, rates


def chosen_peers(choice, key, case, names):
    """The peers to measure: the fastest of the choice, or all."""
    known = choice.get("configurations", {})
    of = next((known[other]["cases"][case]["medians"] for other in [key, *known] if case in known.get(other, {}).get("cases", {})), {})
    able = sorted((seconds, name) for name, seconds in of.items() if name != "ours" and name in names)
    return [name for _, name in able[:CHOSEN]] or [name for name in names if name != "ours"]


def likely_peers(case, names):
    """The peers that may be the fastest of a recurrent case, or all."""
    parts = case.split("-")
    return [name for name in LIKELY.get((parts[1], parts[-1]), names) if name in names] if len(parts) == 6 else names


def is_precise(blocks, precision):
    """Whether the paired ratio of two programs is known well enough; what is far below 1 need not be known as well."""
    logs = [math.log(statistics.median(a) / statistics.median(b)) for a, b in zip(*blocks)]
    if len(logs) < LEAST_ROUNDS:
        return False
    half = STUDENT[min(len(logs), len(STUDENT)) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return half <= precision or math.exp(statistics.mean(logs) + half) < 0.7


def measure_settled(case, ours, peers, options):
    """As compare's measure_case, with as few peers, samples and rounds as make the ratio precise."""
    first = {program.name: program.ask(case, 1) for program in [ours, *peers]}
    results = {name: {"error": reply.get("error", "no samples")} for name, reply in first.items() if not reply.get("seconds")}
    able = sorted((program for program in peers if program.name not in results), key=lambda program: first[program.name]["seconds"][0])[:CHOSEN]
    if ours.name in results or not able:
        return results
    able.append(ours)
    repeats = {program.name: max(1, min(8, round(SETTLED / max(first[program.name]["seconds"][0], 0.005)))) for program in able}
    results.update({program.name: {"blocks": [], "checksum": first[program.name].get("checksum")} for program in able})
    for turn in range(options.rounds):
        for program in able if turn % 2 == 0 else reversed(able):
            reply = program.ask(case, repeats[program.name])
            if not reply.get("seconds"):
                results[program.name] = {"error": reply.get("error", "no samples")}
                return results
            results[program.name]["blocks"].append(reply["seconds"])
        for result in (results[program.name] for program in able):
            result["median"] = statistics.median(seconds for block in result["blocks"] for seconds in block)
        best = min(able[:-1], key=lambda program: results[program.name]["median"])
        if is_precise((results["ours"]["blocks"], results[best.name]["blocks"]), options.precision):
            break
    return results


def row_of(compare, case, results):
    """What is kept of one case: medians, and the paired ratio to the fastest peer with its interval."""
    row = {"medians": {name: result["median"] for name, result in results.items() if "median" in result}}
    row["failed"] = {name: result["error"] for name, result in results.items()
                     if "error" in result and result["error"] != "not expressible"}
    row["disagree"] = compare.disagreeing(case, results)
    peers = [name for name in row["medians"] if name != "ours"]
    if peers and "ours" in row["medians"]:
        best = min(peers, key=row["medians"].get)
        ours, theirs = results["ours"]["blocks"], results[best]["blocks"]
        low, high = compare.interval(compare.bootstrap(ours, theirs, random.Random(1)))
        row.update(best=best, ratio=compare.paired_ratio(ours, theirs), low=low, high=high)
        row["least"] = min(map(min, ours)) / min(map(min, theirs))
    return row


def measure_configuration(compare, options, level, threads, document):
    """Measures the cases of one level and number of threads that document lacks."""
    key = f"{level}-{threads}"
    kept = document["configurations"].setdefault(key, {"cases": {}, "seconds": 0})
    programs = programs_of(compare, options, level, threads)
    missing = [case for case in document["names"] if case not in kept["cases"]]
    if missing and "floors" not in kept:
        kept["floors"], kept["rates"] = floors_of(options, level, threads, document["names"])
    try:
        for number, case in enumerate(missing, 1):
            began = time.time()
            names = chosen_peers(options.chosen, key, case, programs)
            if options.precision:
                peers = [programs[name] for name in likely_peers(case, names)]
                results = measure_settled(case, programs["ours"], peers, options)
            else:
                results = compare.measure_case(case, [programs[name] for name in ["ours", *names]], options)
            kept["cases"][case] = row_of(compare, case, results)
            kept["seconds"] += time.time() - began
            document["load"].append(os.getloadavg()[0])
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1)
            print(f"{key} {number}/{len(missing)} {case}: {kept['cases'][case].get('ratio', math.nan):.3f}", file=sys.stderr, flush=True)
    finally:
        for program in programs.values():
            program.stop()


def read_json(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def measure(options):
    options.env, options.scripts = os.path.abspath(options.env), os.path.abspath(options.scripts)
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]  # the peers set what they need; set by the shell it would hold our program back alone
    compare = load_compare(options.scripts)
    pythons = compare.find_pythons(options.env)
    if not pythons:
        sys.exit(f"speed-table.py: no peers under {options.env}. Run setup of {options.scripts} first.")
    options.set = "all" if options.cases else "full"
    options.chosen = read_json(options.choice)
    document = read_json(options.json) or {"configurations": {}, "load": []}
    if options.random:
        document["names"], document["drawn"] = draw_cases(options.random, options.seed), [options.random, options.seed]
    else:
        document["names"] = compare.case_names(options, next(iter(pythons.values())))
    document["rounds"] = options.rounds
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read()
    model = next((line.split(":", 1)[1].strip() for line in flags.splitlines() if line.startswith("model name")), "unknown processor")
    document["machine"] = f"{model}, {os.cpu_count()} processors"
    for level, threads in CONFIGURATIONS:
        if f"{level}-{threads}" not in (options.only or f"{level}-{threads}").split(","):
            continue
        if level == "avx512" and "avx512f" not in flags:
            print("speed-table.py: this processor has no AVX-512", file=sys.stderr)
            continue
        measure_configuration(compare, options, level, threads, document)


# --- Writing ---


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def group_of(case, drawn=False):
    """Phase, batch and form of a recurrent case; of drawn cases phase and range of the batch."""
    parts = case.split("-")
    if parts[0] not in ("rnn", "gru", "lstm"):
        return None
    batch = int(parts[4][1:])
    if drawn:
        return f"{parts[1]} " + ("b1" if batch == 1 else "b2 to 16" if batch <= 16 else "b17 to 64")
    return f"{parts[1]} {parts[4]} {parts[5]}"


def ratio_of(kept, case):
    return kept.get("cases", {}).get(case, {}).get("ratio")


def cells_of(kept, case):
    """Ours, the fastest peer, the ratio, its interval and the quotient of ours and the floor."""
    row, floor = kept["cases"].get(case, {}), kept.get("floors", {}).get(case)
    if "ratio" not in row:
        return ["–"] * 5
    ours = row["medians"]["ours"]
    return [f"{1e3 * ours:.3g}", f"{row['best']} {1e3 * row['medians'][row['best']]:.3g}", f"{row['ratio']:.2f}",
            f"{row['low']:.2f} to {row['high']:.2f}", f"{ours / floor:.2f}" if floor else ""]


def print_groups(document, keys, write):
    """Geometric means of every group, of all recurrent cases and of all cases."""
    groups = {}
    for case in document["names"]:
        for name in filter(None, [group_of(case, "drawn" in document), "**recurrent, all**" if group_of(case) else None, "everything"]):
            groups.setdefault(name, []).append(case)
    ordered = sorted(name for name in groups if name[0] not in "*e") + [name for name in groups if name[0] in "*e"]
    write("| group | cases | " + " | ".join(title_of(key) for key in keys) + " |")
    write("|---|--:|" + "--:|" * len(keys))
    for name in ordered:
        cells = []
        for key in keys:
            ratios = [ratio_of(document["configurations"][key], case) for case in groups[name]]
            ratios = [ratio for ratio in ratios if ratio]
            cells.append(f"{mean(ratios):.2f}" if ratios else "–")
        write(f"| {name} | {len(groups[name])} | " + " | ".join(cells) + " |")


def row_of_distribution(title, ratios):
    ordered = sorted(ratios)
    p90 = ordered[min(len(ordered) - 1, math.ceil(0.9 * len(ordered)) - 1)]
    numbers = [ordered[0], statistics.median(ordered), p90, ordered[-1], mean(ordered)]
    return f"| {title} | {len(ordered)} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |"


def print_distribution(document, keys, write):
    """How the ratios are distributed: of paired medians, and of the least time of either program."""
    write("| ours/best | cases | min | median | p90 | max | geometric mean |\n|---|--:|--:|--:|--:|--:|--:|")
    for key in keys:
        rows = [row for row in document["configurations"][key]["cases"].values() if "ratio" in row]
        if rows:
            write(row_of_distribution(title_of(key), [row["ratio"] for row in rows]))
        if rows and all("least" in row for row in rows):
            write(row_of_distribution(f"{title_of(key)}, least times", [row["least"] for row in rows]))


def title_of(key):
    level, threads = key.split("-")
    return f"{NAMES[level]}, {'one thread' if threads == '1' else threads + ' threads'}"


def print_cases(document, keys, write):
    for key in keys:
        kept = document["configurations"][key]
        write(f"\n### {title_of(key)}\n")
        rates = ", ".join(f"{name} {value:.4g} {unit}" for name, (value, unit) in kept.get("rates", {}).items())
        write(f"{len(kept['cases'])} cases in {kept['seconds']:.0f} s. {'Floors: ' + rates + '.' if rates else ''}\n")
        write("| case | ours ms | fastest peer ms | ours/best | interval | /floor |\n|---|--:|---|--:|---|--:|")
        for case in document["names"]:
            write(f"| {case} | " + " | ".join(cells_of(kept, case)) + " |")


def print_exceptions(document, keys, write):
    """Cases above the limit, checksums that differ, programs that failed, and what two threads slow down."""
    for key in keys:
        kept = document["configurations"][key]
        above = [(kept["cases"][case], case) for case in kept["cases"] if (ratio_of(kept, case) or 0) > LIMIT]
        named = ", ".join(f"`{case}` {row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row, case in above)
        write(f"* {title_of(key)}, above {LIMIT}: {named or 'none'}.")
        wrong = [case for case, row in kept["cases"].items() if row["disagree"] or row["failed"]]
        if wrong:
            write(f"  Checksums differ or a program failed: {', '.join(wrong)}.")
    for level in NAMES:
        one, two = (document["configurations"].get(f"{level}-{n}", {}).get("cases", {}) for n in (1, 2))
        slower = [f"`{case}` {two[case]['medians']['ours'] / one[case]['medians']['ours']:.2f}" for case in one
                  if "ours" in two.get(case, {}).get("medians", {}) and "ours" in one[case]["medians"]
                  and two[case]["medians"]["ours"] > LIMIT * one[case]["medians"]["ours"]]
        if two:
            write(f"* {NAMES[level]}, slower with two threads than with one: {', '.join(slower) or 'none'}.")


def table(options):
    document, lines = read_json(options.file), []
    keys = [f"{level}-{threads}" for level, threads in CONFIGURATIONS if f"{level}-{threads}" in document["configurations"]]
    load = document["load"]
    lines.append(f"{document.get('machine', 'unknown machine')}; {document['rounds']} rounds; load {min(load):.1f} to {max(load):.1f}. The peers of the AVX2 columns were "
                 "held to AVX2, too. Groups are geometric means of ours/best.\n")
    if "drawn" in document:
        lines.append("Cases: --random {} --seed {}.\n".format(*document["drawn"]))
    print_distribution(document, keys, lines.append)
    lines.append("")
    print_groups(document, keys, lines.append)
    lines.append("")
    print_exceptions(document, keys, lines.append)
    if options.cases:
        print_cases(document, keys, lines.append)
    text = "\n".join(lines) + "\n"
    if not options.into:
        print(text, end="")
        return
    begin, end = "<!-- speed-table.py: begin -->\n", "<!-- speed-table.py: end -->\n"
    with open(options.into, encoding="utf-8") as file:
        page = file.read()
    if begin not in page or end not in page:
        sys.exit(f"speed-table.py: {options.into} lacks the marks {begin.strip()} and {end.strip()}.")
    with open(options.into, "w", encoding="utf-8") as file:
        file.write(page[: page.index(begin) + len(begin)] + "\n" + text + "\n" + page[page.index(end) :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("--ours", required=True)
    one.add_argument("--scripts", required=True)
    one.add_argument("--env", default=".peers")
    one.add_argument("--json", required=True)
    one.add_argument("--choice", help="an earlier FILE: only the two fastest peers of each case")
    one.add_argument("--only", help="of avx2-1,avx512-1,avx2-2,avx512-2")
    one.add_argument("--cases", help="shell patterns or names, comma-separated; default: the 82 cases")
    one.add_argument("--random", type=int, metavar="N", help="N recurrent cases of random sizes instead")
    one.add_argument("--seed", type=int, default=1, help="of --random")
    one.add_argument("--rounds", type=int, default=4, help="with --precision the most")
    one.add_argument("--precision", type=float, metavar="SHARE", help="as few peers, samples and rounds as make each ratio good to this, e.g. 0.03")
    one.add_argument("--budget", type=float, default=0.25, help="seconds of samples for each program and case")
    two = commands.add_parser("table")
    two.add_argument("file")
    two.add_argument("--cases", action="store_true", help="also a table of all cases for each configuration")
    two.add_argument("--into")
    options = parser.parse_args()
    return measure(options) if options.command == "measure" else table(options)


if __name__ == "__main__":
    sys.exit(main())
