#!/usr/bin/env python3
"""gpu-answers.py — a page about what tools/gpu-first-contact.sh found on a machine with a GPU.

usage: gpu-answers.py results.tar.gz    or the folder results

Prints Markdown for engine/cuda/README.md and docs/speed.md: what passed, what differs by how much, the questions that only hardware
answers, times with their ratios to cuDNN and PyTorch, shares of what the card can do, and idle time. What no step measured is “not measured”. The
archive may have been cut at any place. Start at main().
SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import math
import os
import re
import sys
import tarfile
import zlib

NOT_MEASURED = "not measured"
MAX_FILE = 16 << 20
MAX_FILES = 2000


# --- Reading ---

def read_archive(path):
    """{name: text} of the files that can be read; a cut archive gives those before the cut."""
    files = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                if len(files) == MAX_FILES:
                    break
                if member.isfile() and member.size <= MAX_FILE:
                    files[os.path.basename(member.name)] = archive.extractfile(member).read().decode("utf-8", "replace")
    except (EOFError, OSError, tarfile.TarError, zlib.error):
        pass
    return files


def read_folder(path):
    files = {}
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name)[:MAX_FILES]:
        if entry.is_file(follow_symlinks=False) and entry.stat().st_size <= MAX_FILE:
            with open(entry.path, encoding="utf-8", errors="replace") as file:
                files[entry.name] = file.read()
    return files


def parse(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def lines_of(text):
    """The objects that stand on a line of their own."""
    found = (parse(line) for line in (text or "").splitlines() if line.startswith("{"))
    return [row for row in found if isinstance(row, dict)]


def find(value, key):
    """The first number of this name in a document."""
    if isinstance(value, dict):
        if is_number(value.get(key)):
            return value[key]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        number = find(part, key)
        if number is not None:
            return number
    return None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Results:
    def __init__(self, files):
        self.files = files
        rows = [line.split("\t") for line in files.get("steps.tsv", "").splitlines()]
        self.steps = [tuple(clean(cell) for cell in row) for row in rows if len(row) == 5]
        self.status = {name: status for _, name, status, _, _ in self.steps}

    def text(self, name):
        return self.files.get(name + ".txt", "")

    def lines(self, pattern):
        """The objects of all files whose names match."""
        return [row for name in sorted(self.files) if re.fullmatch(pattern + r"\.txt", name) for row in lines_of(self.files[name])]

    def number(self, name, key):
        """A number of the report of a measurement."""
        return find(parse(self.files.get(name + ".json", "")), key)


# --- Estimates ---

def estimate_of(row):
    """(low, median, high) in seconds; None if the row has no times."""
    samples = row.get("seconds")
    if isinstance(samples, list) and samples and all(map(is_number, samples)):
        ordered = sorted(samples)
        return ordered[0], ordered[len(ordered) // 2], ordered[-1]
    if all(is_number(row.get(key)) and row[key] > 0 for key in ("low", "median", "high")):
        return row["low"], row["median"], row["high"]
    return None


def ratio(a, b):
    """How often b fits into a, and the interval."""
    if not a or not b:
        return NOT_MEASURED
    return f"{a[1] / b[1]:.2f} ({a[0] / b[2]:.2f} to {a[2] / b[0]:.2f})"


def milliseconds(estimate):
    return f"{estimate[1] * 1e3:.3g} ms" if estimate else NOT_MEASURED


# --- Writing ---

def clean(text):
    """A stranger's text as a part of a table."""
    return re.sub(r"[\x00-\x1f\x7f|`<>]+", " ", str(text))[:400].strip()


def table(head, rows):
    if not rows:
        print(NOT_MEASURED.capitalize() + ".\n")
        return
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(clean(cell) for cell in row) + " |")
    print()


def title(text):
    print(f"## {text}\n")


# --- Sections ---

def show_machine(results):
    title("The machine")
    rows = []
    devices = results.text("devices").splitlines()
    gpu = next((i for i, line in enumerate(devices) if line.startswith("gpu:0")), None)
    rows.append(("GPU", " ".join(line.strip() for line in devices[gpu:gpu + 3])[5:] if gpu is not None else NOT_MEASURED))
    facts = results.text("facts").splitlines()
    rows.append(("system", facts[0] if facts else NOT_MEASURED))
    rows.append(("C library", facts[1] if len(facts) > 1 else NOT_MEASURED))
    rows.append(("hscope", (results.text("version").splitlines() or [NOT_MEASURED])[0]))
    work = re.search(r"The GPU computed (\d+) of (\d+) steps", results.text("small-gpu"))
    rows.append(("a small model", f"the GPU computed {work[1]} of {work[2]} steps" if work else NOT_MEASURED))
    torch = next((row for row in results.lines("torch") if "torch" in row), None)
    rows.append(("PyTorch", f"{torch['torch']}, cuDNN {torch.get('cudnn')}" if torch else NOT_MEASURED))
    table(("what", "found"), rows)
    if work and work[1] == "0":
        print("**The GPU computed nothing: what follows are times and results of the processor.** G_MESSAGES_DEBUG=all says why, often that NVRTC cannot "
              "be used.\n")


def show_steps(results):
    title("What was done")
    rows = []
    for step in dict.fromkeys(row[0] for row in results.steps):
        of_step = [row for row in results.steps if row[0] == step]
        bad = [row for row in of_step if row[2] != "0"]
        said = "; ".join(f"{name}: {describe_status(name, status)}" for _, name, status, _, _ in bad[:12])
        rows.append((step, len(of_step), len(of_step) - len(bad), said + (" …" if len(bad) > 12 else "")))
    table(("step", "commands", "done", "the others"), rows)


def describe_status(name, status):
    if status in ("124", "137"):
        return "ended by its time limit"
    if status == "none":
        return "there was no time"
    if status == "1" and re.match("(selftest|gallery|goldens|math|small)-", name):
        return "differences were found"
    if status == "absent":
        return "not installed"
    if status.isdigit() and int(status) > 128:
        return f"ended by signal {int(status) - 128}"
    return f"status {status}"


def show_operators(results):
    title("Operators compared with the processor")
    rows = [row for row in results.lines(r"selftest-\d+") if "operator" in row]
    if not rows:
        print(NOT_MEASURED.capitalize() + ".\n")
        return
    idle = [row["operator"] for row in rows if row.get("compared") is False]
    rows = [row for row in rows if row.get("compared") is not False]
    wrong = [row for row in rows if not row.get("passed")]
    errors = [part.get("error") for row in rows for part in row.get("operators", []) if isinstance(part, dict)]
    largest = max((error for error in errors if is_number(error)), default=0)
    print(f"{len(rows)} operators were tested, {len(rows) - len(wrong)} agree; "
          f"{sum(row.get('samples', 0) for row in rows)} samples. The largest difference that was found is {largest:.2g}.\n")
    open_shards = sum(1 for name in results.status if re.fullmatch(r"selftest-\d+", name) and results.status[name] not in ("0", "1"))
    if open_shards:
        print(f"{open_shards} of the processes did not come to their end, so that some operators were {NOT_MEASURED}.\n")
    if idle:
        print(f"The processor computed these, and nothing was compared: {clean(', '.join(map(str, idle)))}.\n")
    if wrong:
        table(("operator", "what is wrong"), [(row["operator"], why_of(row)) for row in wrong])


def why_of(row):
    parts = [part for part in row.get("operators", []) if isinstance(part, dict) and part.get("failure")]
    return "; ".join(f"{part.get('name')}: {part['failure']}" for part in parts) or "no reason was given"


def show_models(results):
    title("Models compared with the processor")
    rows = []
    for kind, pattern in (("gallery", r"gallery-\d+"), ("goldens", r"goldens-\d+")):
        found = [row for row in results.lines(pattern) if "model" in row]
        for mode in ("static", "hybrid", "imperative", "any"):
            of_mode = [row for row in found if row.get("mode") == mode]
            wrong = [row for row in of_mode if not row.get("passed")]
            if of_mode:
                largest = max((row["error"] for row in of_mode if is_number(row.get("error"))), default=0)
                rows.append((kind, mode, len(of_mode), len(of_mode) - len(wrong), f"{largest:.2g}",
                             "; ".join(f"{row['model']}: {row.get('failure')}" for row in wrong)))
    table(("models", "mode", "runs", "agree", "largest difference", "what is wrong"), rows)


def answer(condition, text):
    return ("yes, " if condition else "no, ") + text


def answer_check_9(results, form):
    busy, other = results.number(f"gpu-{form}", "gpu_busy_seconds"), results.number(f"gpu-{form}", "gpu_no_operator_seconds")
    if not busy or other is None:
        return NOT_MEASURED
    return answer(other <= 0.01 * busy, f"{100 * (1 - other / busy):.2f} % of the time of kernels")


def answer_check_10(results):
    median, busy, between = (results.number("gpu-static", key) for key in ("gpu_median", "gpu_busy_seconds", "between_seconds"))
    if None in (median, busy, between):
        return NOT_MEASURED
    return answer(0.95 * (busy + between) <= median <= 1.05 * (busy + between),
                  f"a clean run took {median:.4g} s by events, kernels and gaps of traced runs {busy + between:.4g} s")


def answer_check_11(results):
    times = results.number("gpu-static", "traced_over_clean")
    return NOT_MEASURED if times is None else answer(times < 2, f"{times:.2f} times as long")


def answer_ladder(results):
    document = parse(results.text("ladder")[max(results.text("ladder").find("{"), 0):]) or {}
    explanation = document.get("ladder_explanation") if isinstance(document, dict) else None
    for bucket in (explanation or {}).get("buckets", []) if isinstance(explanation, dict) else []:
        if isinstance(bucket, dict) and bucket.get("name") == "host and dispatch":
            share, saved = bucket.get("seconds"), bucket.get("rung_seconds")
            if is_number(share) and is_number(saved):
                return answer((share - saved) ** 2 <= 0.04 * saved ** 2,
                              f"host and dispatch {share:.4g} s, its rungs saved {saved:.4g} s")
    return NOT_MEASURED


def answer_static(results):
    static, imperative = results.number("gpu-static", "median"), results.number("gpu-imperative", "median")
    return answer(imperative >= 2 * static, f"{imperative / static:.2f} times") if static and imperative else NOT_MEASURED


def answer_direct(results, size):
    ours = results.number(f"lstm-{size}", "gpu_median")
    with_copies = results.number(f"direct-{size}", "with_copies_median")
    alone = results.number(f"direct-{size}", "forward_median")
    if not ours or not with_copies or not alone:
        return NOT_MEASURED
    return answer(ours <= 1.05 * with_copies,
                  f"by events a run takes {ours:.4g} s, cuDNN with the same copies {with_copies:.4g} s, without copies {alone:.4g} s")


def answer_operator(results, name):
    rows = [row for row in results.lines(r"selftest-\d+") if row.get("operator") == name]
    return answer(rows[0].get("passed"), "the samples agree" if rows[0].get("passed") else why_of(rows[0])) if rows else NOT_MEASURED


def answer_replays(results):
    rows = [row for row in results.lines(r"(gallery|goldens)-\d+") if row.get("mode") == "static"]
    if not rows:
        return NOT_MEASURED
    wrong = [row["model"] for row in rows if "other bytes" in str(row.get("failure"))]
    return answer(not wrong, f"{len(rows)} models in static mode" + (f", but not {', '.join(map(str, wrong))}" if wrong else ""))


def show_questions(results):
    title("Questions that only hardware answers")
    rows = [("gpucheck 1, 2, 5, 6: layers of cuDNN, forward, backward, of different lengths, replayed", answer_operator(results, "RNN"))]
    direct = (results.text("questions") + "\n" + results.text("counters")).splitlines()
    for question in ("gpucheck 3, devSeqLengths may be NULL, equal lengths", "gpucheck 3, devSeqLengths may be NULL, different lengths",
                     "gpucheck 4, cuDNN refuses WGRAD_MODE_SET", "check 13, counters of the GPU may be read"):
        found = next((line[len(question) + 2:] for line in direct if line.startswith(question + ": ")), NOT_MEASURED)
        rows.append((question, found))
    fast = [row for row in results.lines("math-fast") if "operator" in row]
    errors = [part["error"] for row in fast for part in row.get("operators", []) if isinstance(part, dict) and is_number(part.get("error"))]
    rows.append(("gpucheck 7, errors of fast products", f"at most {max(errors):.2g}" if errors else NOT_MEASURED))
    for form in ("static", "imperative", "foreach", "fused"):
        rows.append((f"check 9, kernels under their operators, {form}", answer_check_9(results, form)))
    rows.append(("check 10, events and kernels agree", answer_check_10(results)))
    rows.append(("check 11, traced runs take less than twice as long", answer_check_11(results)))
    rows.append(("check 12, replays and launches give the same bytes", answer_replays(results)))
    rows.append(("check 12, the share of launches is what the ladder saves", answer_ladder(results)))
    rows.append(("static mode is twice as fast as imperative mode", answer_static(results)))
    sizes = sorted(name[len("direct-"):-len(".json")] for name in results.files if re.fullmatch(r"direct-\d+x\d+\.json", name))
    for size in sizes or ["1x512"]:
        rows.append((f"the fused LSTM, batch × units {size}, takes at most 5 % longer than cuDNN called directly", answer_direct(results, size)))
    table(("question", "answer"), rows)


def cudnn_key(row):
    phase = "train" if row.get("training") else "infer"
    return f"{row.get('cell')}-{phase}-h{row.get('units')}-t{row.get('steps')}-b{row.get('batch')}-fused"


def find_cudnn(results, name, algorithm="standard", math_name="fma"):
    """The faster of launched and recorded."""
    found = [estimate_of(row) for row in results.lines(r"cudnn-[a-z-]+") if cudnn_key(row) == name and
             row.get("algorithm") == algorithm and row.get("math") == math_name]
    return min((estimate for estimate in found if estimate), key=lambda estimate: estimate[1], default=None)


def find_torch(results, name, form, tf32=False):
    return next((estimate_of(row) for row in results.lines("torch") if row.get("case") == name and row.get("form") == form and
                 row.get("tf32") is tf32 and estimate_of(row)), None)


def show_times(results):
    title("Times")
    print("A run of hscope and PyTorch is timed from the call to the end, with copies of the input and the output; cuDNN by events, without copies, "
          "STANDARD and FMA. All in float32 without TF32. A ratio above 1 says that hscope takes longer; in brackets its interval.\n")
    rows = []
    for row in results.lines(r"bench-.*"):
        ours = estimate_of(row)
        if not ours or "case" not in row:
            continue
        name = row["case"]
        eager, graph, direct = find_torch(results, name, "eager"), find_torch(results, name, "graph"), find_cudnn(results, name)
        rows.append((name, milliseconds(ours), milliseconds(direct), ratio(ours, direct), milliseconds(eager), ratio(ours, eager),
                     milliseconds(graph), ratio(ours, graph)))
    table(("case", "hscope", "cuDNN", "hscope / cuDNN", "PyTorch", "hscope / PyTorch", "PyTorch, replayed", "hscope / replayed"), rows)
    compiled = [row for row in results.lines("torch") if row.get("form") == "compiled" and estimate_of(row)]
    for row in compiled:
        print(f"torch.compile, {clean(row['case'])}: {milliseconds(estimate_of(row))}.\n")


def show_algorithms(results):
    title("Algorithms of cuDNN")
    print("Medians by events, launched / recorded.\n")
    cells = {}
    heads = []
    for row in results.lines(r"cudnn-[a-z-]+"):
        head = f"{row.get('algorithm')}, {row.get('math')}"
        if head not in heads:
            heads.append(head)
        estimate = estimate_of(row)
        cells.setdefault(cudnn_key(row), {}).setdefault(head, {})[bool(row.get("recorded"))] = milliseconds(estimate) if estimate else "refused"
    heads.sort(key=lambda head: (not head.startswith("standard"), head))
    table(["layer"] + heads, [[name] + [" / ".join(cells[name].get(head, {}).get(recorded, NOT_MEASURED) for recorded in (False, True))
                                        for head in heads] for name in cells])


def show_ceilings(results):
    title("What the card can do")
    factors = {"byte": (1e-9, "GB/s"), "operation": (1e-12, "TFLOP/s"), "piece": (1e-6, "million a second")}
    rows = []
    for row in results.lines("ceilings"):
        estimate = estimate_of(row)
        factor, unit = factors.get(row.get("unit"), (1, "a second"))
        if estimate and is_number(row.get("amount")):
            rows.append((row.get("what"), f"{row['amount'] / estimate[1] * factor:.4g} {unit}"))
    table(("what", "rate"), rows)
    product = next((row["amount"] / estimate_of(row)[1] for row in results.lines("ceilings") if row.get("what") == "float32 product" and
                    estimate_of(row) and is_number(row.get("amount"))), None)
    shares = []
    for row in results.lines(r"bench-.*"):
        ours, flops = estimate_of(row), flops_of(row.get("case"))
        if ours and flops and product:
            shares.append((row["case"], f"{100 * flops / ours[1] / product:.2g} %"))
    table(("layer", "share of the float32 product's rate"), shares)


def flops_of(name):
    """Operations of the products of a fused layer whose input is as wide as its state; a gradient takes twice as many again."""
    match = re.fullmatch(r"(lstm|gru)-(infer|train)-h(\d{1,6})-t(\d{1,6})-b(\d{1,6})-fused", str(name))
    if not match:
        return None
    cell, phase, units, steps, batch = match[1], match[2], int(match[3]), int(match[4]), int(match[5])
    return {"lstm": 4, "gru": 3}[cell] * units * 2 * units * 2 * steps * batch * (3 if phase == "train" else 1)


def show_profiles(results):
    title("Where the time goes")
    rows = []
    for name in sorted(name[:-5] for name in results.files if re.fullmatch(r"(gpu|lstm|cpu)-[\w-]+\.json", name)):
        median, gpu, busy = (results.number(name, key) for key in ("median", "gpu_median", "gpu_busy_seconds"))
        idle = f"{100 * (1 - busy / median):.3g} %" if median and busy is not None and busy <= median else NOT_MEASURED
        rows.append((name, f"{median * 1e3:.3g} ms" if median else NOT_MEASURED, f"{gpu * 1e3:.3g} ms" if gpu else NOT_MEASURED,
                     f"{busy * 1e3:.3g} ms" if busy else NOT_MEASURED, idle))
    table(("model", "a clean run", "by the GPU's clock", "kernels", "GPU idle"), rows)


def show_checker(results):
    title("NVIDIA’s checker")
    rows = []
    for name, status in results.status.items():
        if re.match("(memcheck|racecheck)-", name):
            summary = [line for line in results.text(name).splitlines() if "SUMMARY" in line]
            rows.append((name, "nothing was found" if status == "0" else describe_status(name, status), summary[-1] if summary else ""))
    table(("tool and operator", "result", "summary"), rows)


def main():
    if len(sys.argv) != 2 or not os.path.exists(sys.argv[1]):
        print("usage: gpu-answers.py results.tar.gz", file=sys.stderr)
        return 2
    results = Results((read_folder if os.path.isdir(sys.argv[1]) else read_archive)(sys.argv[1]))
    print("# What a GPU answered\n")
    for show in (show_machine, show_steps, show_operators, show_models, show_questions, show_times, show_algorithms, show_ceilings,
                 show_profiles, show_checker):
        try:
            show(results)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            # What another machine wrote may be of any form; the other parts are shown all the same.
            print(f"{NOT_MEASURED.capitalize()}: what was written of it cannot be understood ({clean(error)}).\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
