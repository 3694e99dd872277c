#!/usr/bin/env python3
"""Prints for gallery models and exports whether the shares of a profile add up to 100 %.

usage: shares.py HSCOPE [EXPORT…]      default exports: six of ../shared/models, if they are there

Every model is profiled forward and backward with few runs; the default exports get random
parameters.  Exit status 1 if a sum is not 100 % within 0.1.
SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import subprocess
import sys

GALLERY = """beam-search bidirectional bucket-lm?hidden=16&length=6&shorter=4&batch=3 cond
ctc-reader?width=32&letters=2&hidden=8&batch=2 early-stop foreach-rnn lenet?channels=4&batch=2
lstm-foreach lstm-hybrid lstm-lm?hidden=16&layers=2&length=5&batch=3 lstm-unrolled mlp residual
resnet18?channels=4&classes=5&size=32&batch=2 seq2seq stacked transformer zoneout""".split()
SMALL = ["--init=xavier", "--shape", "data=1,3,64,64"]
EXPORTS = [("djl/mlp-symbol.json", ["--init=xavier", "--shape", "data=1,784"]),
           ("djl/resnet18_v1-symbol.json", SMALL),
           ("djl/resnet50_v1-symbol.json", SMALL),
           ("djl/squeezenet1.0-symbol.json", ["--init=xavier", "--shape", "data=1,3,224,224"]),
           ("djl/simple_pose_resnet18_v1b-symbol.json", SMALL),
           ("djl/inceptionv3_ucf101-symbol.json", ["--init=xavier", "--shape", "data=1,3,299,299"])]


def profile(hscope, model, options):
    command = [hscope, "profile", model, "--json", "--repeat=3", "--warmup=1", "--traced=6",
               "--time-limit=60", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1:]
    return json.loads(done.stdout), None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    hscope, given = sys.argv[1], [(path, ["--init=xavier"]) for path in sys.argv[2:]]
    folder = os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "models")
    exports = given or [(os.path.join(folder, path), options) for path, options in EXPORTS
                        if os.path.exists(os.path.join(folder, path))]
    models = [("gallery:" + name, []) for name in GALLERY] + exports
    status = 0
    print(f"{'model':44} {'pass':9} {'nodes':>9} {'between':>9} {'sum':>11} {'traced/clean':>13}")
    for model, options in models:
        for name, direction in (("forward", []), ("backward", ["--backward"])):
            result, error = profile(hscope, model, options + direction)
            label = re.sub(r"\?.*", "", os.path.basename(model))
            if error is not None:
                print(f"{label:44} {name:9} {' '.join(error)[:120]}")
                status = 1
                continue
            nodes = sum(node["share"] for node in result["nodes"])
            outside = sum(row["share"] for row in result["outside_nodes"])
            status |= abs(nodes + outside - 1) > 0.001
            print(f"{label:44} {name:9} {100 * nodes:8.2f}% {100 * outside:8.2f}% "
                  f"{100 * (nodes + outside):10.6f}% {result['traced_over_clean']:12.2f}×")
    sys.exit(status)


if __name__ == "__main__":
    main()
