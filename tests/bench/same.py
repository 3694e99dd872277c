#!/usr/bin/env python3
"""same.py — compares models with themselves while another core is busy: how often are they called different?

usage: same.py HSCOPE [--runs 100] [--seconds 6] [--busy 1]

Prints one line a comparison, then how many were same, undecided and different, and how many named a cause. Exits with 1 if
more than 3 in 100 were different, or if a cause was named.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import collections
import itertools
import sys

from compare_runs import busy_cores, causes, compare

MODELS = [
    ("gallery:mlp",),
    ("gallery:foreach-rnn?hidden=64&inputs=64&length=20&batch=2",),
    ("gallery:foreach-rnn?hidden=128&inputs=128&length=20&batch=8",),
    ("gallery:lenet",),
    ("gallery:lstm-unrolled",),
    ("gallery:foreach-rnn?hidden=64&inputs=64&length=20&batch=2", "--backward"),
    ("gallery:mlp", "--modes", "imperative"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hscope")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--busy", type=int, default=1, help="cores that a busy loop uses")
    options = parser.parse_args()
    verdicts = collections.Counter()
    named = 0
    with busy_cores(options.busy):
        for run, (model, *more) in zip(range(options.runs), itertools.cycle(MODELS)):
            result = compare(options.hscope, model, model, "--no-ladder", *more, seconds=options.seconds)
            pair = result["pairs"][0]
            found = causes(result["explanation"])
            verdict = "different" if pair["verdict"] in ("faster", "slower") else pair["verdict"]
            verdicts[verdict] += 1
            named += bool(found)
            spread = "unknown" if pair["build_spread"] is None else f"{100 * pair['build_spread']:.1f} %"
            print(
                f"{run + 1:3} {verdict:10} ratio {pair['ratio']:.4f}, {pair['samples']} pairs of {pair['builds']} builds, "
                f"spread of builds {spread}, {' '.join([model, *more])} {', '.join(found)}",
                flush=True,
            )
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) + f"; {named} named a cause")
    return verdicts["different"] * 100 > 3 * options.runs or named > 0


if __name__ == "__main__":
    sys.exit(main())
