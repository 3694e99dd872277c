#!/usr/bin/env python3
"""buckets.py — every bucket of an explanation against its own rung, for recurrent networks in several forms.

usage: buckets.py HSCOPE [--seconds 8] [--busy 0]

Compares unrolled, foreach and imperative forms with the fused one, for LSTM and GRU, inference and training, and prints
a Markdown table: what the bucket claims, its 95 % interval, what its rung measured, and the residual. Exits with 1 if more than
a tenth of a difference is unexplained, or a bucket differs by more from its rung, and the headline does not say so.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import sys

from compare_runs import busy_cores, compare

MODEL = "gallery:foreach-rnn?cell={cell}&hidden=128&inputs=128&length=35&batch=4"
FORMS = {
    "unrolled": ("--variants", "unrolled,fused"),
    "foreach": ("--variants", "foreach,fused"),
    "imperative": ("--variants", "unrolled,fused", "--modes", "imperative,static"),
}


def micros(seconds):
    return "–" if seconds is None else f"{seconds * 1e6:.1f}"


def is_silent(explanation):
    """Whether the headline keeps silent about a gap of more than a tenth."""
    saved = abs(explanation["saved"])
    gaps = [bucket["residual"] or 0 for bucket in explanation["buckets"]] + [explanation["unexplained"] or 0]
    is_incomplete = explanation["has_cause"] and max(map(abs, gaps)) > 0.1 * saved
    return is_incomplete and "incomplete" not in explanation["reason"]


def print_rows(title, explanation):
    for bucket in explanation["buckets"]:
        if not bucket["seconds"] and not bucket["rung"]:
            continue
        interval = "too few runs" if bucket["low"] is None else f"{micros(bucket['low'])} … {micros(bucket['high'])}"
        print(
            f"| {title} | {bucket['name']} | {micros(bucket['seconds'])} | {interval} | {micros(bucket['rung_seconds'])} "
            f"| {micros(bucket['residual'])} | {bucket['rung'] or 'no rung'} |"
        )
    print(
        f"| {title} | unexplained | {micros(explanation['unexplained'])} | | | | of {micros(explanation['saved'])}: "
        f"{explanation['reason']} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hscope")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--busy", type=int, default=0, help="cores that a busy loop uses")
    options = parser.parse_args()
    silent = 0
    print("| pair | bucket | claims (µs) | 95 % | its rung (µs) | residual (µs) | rung |")
    print("|---|---|---|---|---|---|---|")
    with busy_cores(options.busy):
        for cell in ("lstm", "gru"):
            for way in ((), ("--backward",)):
                for form, arguments in FORMS.items():
                    result = compare(
                        options.hscope, MODEL.format(cell=cell), *arguments, *way, seconds=options.seconds
                    )
                    title = f"{cell}, {'training' if way else 'inference'}, {form}"
                    for key, name in (("explanation", " against fused"), ("ladder_explanation", ": ladder")):
                        if key in result:
                            print_rows(title + name, result[key])
                            silent += is_silent(result[key])
    print(f"\n{silent} explanations are incomplete and do not say so")
    return silent > 0


if __name__ == "__main__":
    sys.exit(main())
