#!/usr/bin/env python3
"""first-result.py — from the start of a process to its first result: `hscope run` beside ONNX Runtime, on the same ONNX files.

usage: tools/first-result.py [options] HSCOPE [FILE.onnx…]

  --cases FOLDER   also the files of a folder with cases.jsonl and recipes.py, as shared/onnx, that ONNX Runtime runs
  --header FILE    onnxruntime_c_api.h: measures a program in C, too, which is linked with the library of the Python package
  --rounds N       turns of each file (default 3)
  --seconds S      stops after this time; files are taken in an order drawn from --seed
  --json FILE      writes all rows

ONNX Runtime in Python imports numpy and onnxruntime, makes a session of one thread and runs it; in C it makes the session
and runs it, with inputs from raw files.  Inputs of files without a case are random numbers (ones for whole numbers), with
open dimensions 1.  The programs take turns; figures are of the whole process, user and system time of the processor (least of the rounds) and wall time
(least).  Needs the Python packages numpy and onnxruntime; a C compiler with --header.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

PYTHON = """
import sys, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 4
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
with numpy.load(sys.argv[2]) as arrays:
    session.run(None, dict(arrays))
"""

# Arguments: the model, then for each input its name, its type as ONNX numbers it, its shape (1x3x8 or "-") and a raw file.
C = r"""
#include <onnxruntime_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(call) do { OrtStatus *s = (call); if (s) { fprintf (stderr, "%s\n", api->GetErrorMessage (s)); exit (1); } } while (0)
int
main (int argc, char **argv)
{
  const OrtApi *api = OrtGetApiBase ()->GetApi (16);
  OrtEnv *env; OrtSessionOptions *options; OrtSession *session; OrtMemoryInfo *memory; OrtAllocator *allocator;
  const char *names[64], *results[256] = { 0 };
  OrtValue *values[64], *outputs[256] = { 0 };
  size_t n = 0, n_outputs = 0;

  CHECK (api->CreateEnv (ORT_LOGGING_LEVEL_FATAL, "first", &env));
  CHECK (api->CreateSessionOptions (&options));
  CHECK (api->SetIntraOpNumThreads (options, 1));
  CHECK (api->SetInterOpNumThreads (options, 1));
  CHECK (api->CreateSession (env, argv[1], options, &session));
  CHECK (api->CreateCpuMemoryInfo (OrtArenaAllocator, OrtMemTypeDefault, &memory));
  CHECK (api->GetAllocatorWithDefaultOptions (&allocator));
  for (int i = 2; i + 3 < argc && n < 64; i += 4, n++)
    {
      int64_t shape[16]; size_t rank = 0, bytes = 0; char *data = malloc (1 << 28);
      FILE *file = fopen (argv[i + 3], "rb");
      for (char *at = argv[i + 2]; *at && *at != '-' && rank < 16; at += strspn (at, "x"))
        shape[rank++] = strtoll (at, &at, 10);
      bytes = fread (data, 1, 1 << 28, file);
      fclose (file);
      names[n] = argv[i];
      CHECK (api->CreateTensorWithDataAsOrtValue (memory, data, bytes, shape, rank, atoi (argv[i + 1]), &values[n]));
    }
  CHECK (api->SessionGetOutputCount (session, &n_outputs));
  for (size_t i = 0; i < n_outputs; i++)
    CHECK (api->SessionGetOutputName (session, i, allocator, (char **) &results[i]));
  CHECK (api->Run (session, NULL, names, (const OrtValue *const *) values, n, results, n_outputs, outputs));
  return 0;
}
"""

# Types of ONNX, by those of NumPy.
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
         "float64": 11, "uint32": 12, "uint64": 13}
SIZES = {f"tensor({name})": dtype for name, dtype in (("float", "float32"), ("double", "float64"), ("float16", "float16"),
                                                     *((name, name) for name in TYPES if "int" in name or name == "bool"))}


def build_c(folder, header):
    """The path of the program in C; it stays beside the library of the Python package."""
    import onnxruntime
    place = os.path.join(os.path.dirname(onnxruntime.__file__), "capi")
    library = next(name for name in sorted(os.listdir(place)) if name.startswith("libonnxruntime.so"))
    source, program = os.path.join(folder, "first.c"), os.path.join(folder, "first")
    link = os.path.join(folder, "libonnxruntime.so.1")
    os.symlink(os.path.join(place, library), link)
    with open(source, "w", encoding="utf-8") as file:
        file.write(C)
    subprocess.run(["cc", "-O2", "-w", "-I", os.path.dirname(os.path.abspath(header)), source, link, "-o", program,
                    f"-Wl,-rpath,{folder}:{place}"], check=True)
    return program


def spend(command):
    """(Seconds of the processor, seconds) of one process; None if it failed."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime, time.perf_counter() - began) if child.returncode == 0 else None


def list_cases(folder):
    """(File, inputs) of each case; inputs is called when it is needed."""
    spec = importlib.util.spec_from_file_location("speed", os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx-speed.py"))
    speed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(speed)
    return [(os.path.join(folder, case["file"]), lambda case=case: speed.make_inputs(folder, case))
            for case in speed.list_cases(folder, "")]


def invent(path):
    """Inputs of a file by what it declares."""
    import numpy as np
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    draw = np.random.default_rng(1)
    arrays = {}
    for entry in session.get_inputs():
        shape = [size if isinstance(size, int) and size > 0 else 1 for size in entry.shape]
        dtype = np.dtype(SIZES[entry.type])
        arrays[entry.name] = (draw.uniform(-1, 1, shape) if dtype.kind == "f" else np.ones(shape)).astype(dtype)
    return arrays


def write_inputs(folder, arrays):
    """Writes the archive for Python and hscope; returns its path and the arguments of the program in C."""
    import numpy as np
    archive, arguments = os.path.join(folder, "inputs.npz"), []
    np.savez(archive, **arrays)
    for i, (name, array) in enumerate(arrays.items()):
        raw = os.path.join(folder, f"input{i}.raw")
        np.ascontiguousarray(array).tofile(raw)
        arguments += [name, str(TYPES[array.dtype.name]), "x".join(map(str, array.shape)) or "-", raw]
    return archive, arguments


def measure(options, folder, path, arrays, program):
    """{program: (least seconds of the processor, least seconds)} of those that gave a result."""
    archive, arguments = write_inputs(folder, arrays)
    commands = {"hscope": [options.hscope, "run", path, "--input", archive, "--threads", "1", "--quiet"],
                "python": [sys.executable, "-c", PYTHON, path, archive]}
    if program:
        commands["c"] = [program, path, *arguments]
    samples = {name: [] for name in commands}
    for turn in range(options.rounds):
        for name in list(commands)[:: 1 if turn % 2 == 0 else -1]:
            samples[name].append(spend(commands[name]))
    return {name: tuple(map(min, zip(*rows))) for name, rows in samples.items() if None not in rows}


def summarise(rows, peer, column, what):
    ratios = sorted(row["hscope"][column] / row[peer][column] for row in rows if peer in row and "hscope" in row)
    if ratios:
        print(f"{what}, beside ONNX Runtime in {peer}: {len(ratios)} files, geometric mean "
              f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}, median {ratios[len(ratios) // 2]:.3f}, 90 % at most "
              f"{ratios[int(0.9 * (len(ratios) - 1))]:.3f}, largest {ratios[-1]:.3f}, above a fifth {sum(r > 0.2 for r in ratios)}")


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("hscope")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--cases")
    parser.add_argument("--header")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    work = [(path, lambda path=path: invent(path)) for path in options.files] + (list_cases(options.cases) if options.cases else [])
    random.Random(options.seed).shuffle(work)
    end, rows = time.monotonic() + options.seconds, []
    with tempfile.TemporaryDirectory() as folder:
        program = build_c(folder, options.header) if options.header else None
        for path, make in work:
            if time.monotonic() > end:
                break
            try:
                row = measure(options, folder, path, make(), program)
            except (KeyError, RuntimeError, ValueError, TypeError) as error:  # of inputs that cannot be made
                print(f"{path}: {str(error)[:100]}", file=sys.stderr)
                continue
            rows.append({"file": path, **row})
            print(os.path.basename(path), *(f"{name} {1e3 * cpu:.1f} {1e3 * wall:.1f}" for name, (cpu, wall) in row.items()), flush=True)
    print(f"{len(rows)} of {len(work)} files")
    for peer in ("python", "c"):
        summarise(rows, peer, 0, "Processor time")
        summarise(rows, peer, 1, "Wall time")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)


if __name__ == "__main__":
    sys.exit(main())
