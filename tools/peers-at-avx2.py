#!/usr/bin/env python3
"""peers-at-avx2.py — makes what holds the peers to AVX2 on a processor with AVX-512: FOLDER/ort-avx2 and FOLDER/limits-avx2.

usage: peers-at-avx2.py --env .peers --scripts FOLDER

ONNX Runtime has no setting for it. It asks the processor with `xgetbv` which registers are saved; in the copy, `mov al, 7; nop`
stands in place of this instruction, whose answer then lacks the registers of AVX-512. The copy is used with PYTHONPATH.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys

XGETBV, WITHOUT = b"\x0f\x01\xd0", b"\xb0\x07\x90"


def places_of(library):
    """The offsets of `xgetbv` in the file; the same three bytes also occur within other instructions."""
    headers = subprocess.run(["objdump", "-h", "-j", ".text", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    _, _, _, address, _, offset, _ = next(line for line in headers.splitlines() if " .text " in line).split()
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line for line in code.splitlines() if line.endswith("xgetbv")]
    return [int(line.split(":")[0], 16) - int(address, 16) + int(offset, 16) for line in lines]


def hold_runtime(folder):
    """Copies the package and changes its library; returns the number of places."""
    found = glob.glob(os.path.join(folder, "torch", "lib", "python3*", "site-packages", "onnxruntime"))
    if not found:
        sys.exit(f"peers-at-avx2.py: no ONNX Runtime under {folder}. Run the peers' setup first.")
    target = os.path.join(folder, "ort-avx2", "onnxruntime")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(found[0], target)
    library = glob.glob(os.path.join(target, "capi", "onnxruntime_pybind11_state*.so"))[0]
    with open(library, "rb") as file:
        code = bytearray(file.read())
    places = places_of(library)
    for place in places:
        if code[place : place + len(XGETBV)] != XGETBV:
            sys.exit(f"peers-at-avx2.py: no xgetbv at {place:#x} of {library}.")
        code[place : place + len(XGETBV)] = WITHOUT
    with open(library, "wb") as file:
        file.write(code)
    return len(places)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--env", default=".peers")
    parser.add_argument("--scripts", required=True)
    options = parser.parse_args()
    print(f"ort-avx2: {hold_runtime(options.env)} places changed")
    subprocess.run(["cc", "-O3", "-march=haswell", os.path.join(options.scripts, "limits.c"), "-o",
                    os.path.join(options.env, "limits-avx2"), "-lopenblas", "-lpthread", "-lm"], check=True)
    print("limits-avx2: built")


if __name__ == "__main__":
    sys.exit(main())
