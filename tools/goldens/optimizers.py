"""optimizers.py — updates of weights by optimizers, and norms of many arrays.

MXNet's Python cannot compose all of these as symbols, so the graphs are written as text.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json

from golden import Cases, default_tolerance, mx, np, random_for


def graph(op, names, attributes):
    """A symbol of one node with variables as inputs."""
    nodes = [{"op": "null", "name": name, "inputs": []} for name in names]
    nodes.append({"op": op, "name": "op", "attrs": {key: str(value) for key, value in attributes.items()},
                  "inputs": [[i, 0, 0] for i in range(len(names))]})
    return mx.sym.load_json(json.dumps({"nodes": nodes, "arg_nodes": list(range(len(names))),
                                        "heads": [[len(names), 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}))


def all_outputs(symbol, count):
    text = json.loads(symbol.tojson())
    text["heads"] = [[len(text["nodes"]) - 1, i, 0] for i in range(count)]
    return mx.sym.load_json(json.dumps(text))


def value(op, case, name, shape, dtype):
    """States are positive, so that roots exist; a master weight is the weight."""
    low = 0.1 if name.split("_")[0] in ("var", "n", "v", "history", "r1", "r2", "d") else -1
    return random_for("optimizers", op, case, name).uniform(low, 1, shape).astype(dtype)


# MXNet rounds the attributes to float32, and computes with half floats in half precision.
TOLERANCES = {"float16": (2e-2, 1e-2), "float32": (1e-5, 1e-6), "float64": (2e-5, 2e-6)}


def add(cases, op, case, names, attributes, shape=(2, 3), dtype="float32", wide=(), extra=None, count=1):
    inputs = {}
    for name in names:
        inputs[name] = value(op, case, name, shape, "float32" if name.split("_")[0] in wide else dtype)
    for name, array in (extra or {}).items():
        inputs[name] = array
    symbol = all_outputs(graph(op, list(inputs), attributes), count)
    # 1 - beta2 ** t loses digits in float32.
    tolerance = (2e-4, 2e-5) if op == "lamb_update_phase1" and dtype == "float32" else TOLERANCES[dtype]
    cases.add(case, symbol, inputs, backward=False, train=True, tolerance=tolerance)


COMMON = {"lr": 0.1, "wd": 0.3, "rescale_grad": 0.7}
VARIANTS = {"plain": {"lr": 0.1}, "decay": COMMON, "clip": {**COMMON, "clip_gradient": 0.3}}
SINGLE = {
    "sgd_update": (["weight", "grad"], {}),
    "sgd_mom_update": (["weight", "grad", "mom"], {"momentum": 0.9}),
    "nag_mom_update": (["weight", "grad", "mom"], {"momentum": 0.9}),
    "signsgd_update": (["weight", "grad"], {}),
    "signum_update": (["weight", "grad", "mom"], {"momentum": 0.5, "wd_lh": 0.2}),
    "adam_update": (["weight", "grad", "mean", "var"], {}),
    "rmsprop_update": (["weight", "grad", "n"], {"clip_weights": 0.8}),
    "rmspropalex_update": (["weight", "grad", "n", "g", "delta"], {"epsilon": 2.0}),
    "ftml_update": (["weight", "grad", "d", "v", "z"], {"t": 3}),
    "ftrl_update": (["weight", "grad", "z", "n"], {"lamda1": 0.2}),
    "lamb_update_phase1": (["weight", "grad", "mean", "var"], {"t": 2}),
}
for op, (names, attributes) in SINGLE.items():
    cases = Cases(op)
    for variant, numbers in VARIANTS.items():
        numbers = dict(numbers)
        if op == "ftml_update" and "clip_gradient" in numbers:
            numbers["clip_grad"] = numbers.pop("clip_gradient")
        if op == "lamb_update_phase1":
            del numbers["lr"]
            numbers.setdefault("wd", 0.0)
        add(cases, op, variant, names, {**attributes, **numbers})
        add(cases, op, variant + "_float64", names, {**attributes, **numbers}, shape=(1, 2, 2), dtype="float64")
    add(cases, op, "float16", names, {**attributes, **{key: number for key, number in numbers.items()}}, dtype="float16")
    cases.write()

MASTERS = ("mom", "mean", "var", "weight32")
for op, names, attributes in (("mp_sgd_update", ["weight", "grad", "weight32"], {}),
                              ("mp_sgd_mom_update", ["weight", "grad", "mom", "weight32"], {"momentum": 0.9}),
                              ("mp_nag_mom_update", ["weight", "grad", "mom", "weight32"], {"momentum": 0.9}),
                              ("mp_lamb_update_phase1", ["weight", "grad", "mean", "var", "weight32"], {"t": 2})):
    cases = Cases(op)
    for variant, numbers in VARIANTS.items():
        numbers = {**attributes, **numbers}
        if op == "mp_lamb_update_phase1":
            del numbers["lr"]
            numbers.setdefault("wd", 0.0)
        add(cases, op, variant, names, numbers, dtype="float16", wide=MASTERS)
    cases.write()

for op, names, wide in (("lamb_update_phase2", ["weight", "g"], ()), ("mp_lamb_update_phase2", ["weight", "g"], ("g",))):
    cases = Cases(op)
    dtype = "float16" if wide else "float32"
    for variant, numbers in (("plain", {}), ("limits", {"lower_bound": 0.5, "upper_bound": 0.6}), ("zero", {})):
        norms = {"r1": np.array([0 if variant == "zero" else 0.3], "float32"), "r2": np.array([0.7], "float32")}
        if wide:
            norms["weight32"] = value(op, variant, "weight32", (2, 3), "float32")
        add(cases, op, variant, names, {"lr": 0.1, **numbers}, dtype=dtype, wide=wide, extra=norms)
    cases.write()

for op, names, dtype in (("_adamw_update", ["weight", "grad", "mean", "var"], "float32"),
                         ("_mp_adamw_update", ["weight", "grad", "mean", "var", "weight32"], "float16")):
    cases = Cases(op)
    for variant, numbers in (("plain", {}), ("clip", {"clip_gradient": 0.2, "wd": 0.3})):
        add(cases, op, variant, names, {"lr": 0.1, "eta": 0.5, **numbers}, dtype=dtype, wide=MASTERS if dtype == "float16" else (),
            extra={"rescale": np.array([0.7], "float32")})
    cases.write()


def add_call(cases, name, symbol, op, inputs, attributes, count):
    """A case of an operator whose outputs MXNet does not infer in a graph: it is called with given outputs."""
    arrays = {key: mx.nd.array(array, dtype=array.dtype) for key, array in inputs.items()}
    outputs = [mx.nd.zeros(inputs[f"weight_{i}"].shape, dtype=inputs[f"weight_{i}"].dtype) for i in range(count)]
    function = getattr(mx.nd, op, None) or getattr(mx.nd._internal, op)
    function(*arrays.values(), out=outputs, **attributes)
    found = {f"in/{key}": array for key, array in inputs.items()}
    found.update({f"out/{i}": output.asnumpy() for i, output in enumerate(outputs)})
    found.update({f"aux/{key}": arrays[key].asnumpy() for key in symbol.list_auxiliary_states()})
    rtol, atol = default_tolerance([*inputs.values()])
    cases.cases.append({"name": name, "note": "called with outputs of given shapes", "mode": "train", "rtol": rtol, "atol": atol,
                        "backward": False, "symbol": json.loads(symbol.tojson()), "shape_inference": None})
    cases.arrays.update({f"{name}/{key}": array for key, array in found.items()})


def several(op, parts, attributes, dtype="float32", extra=None, count=2):
    cases = Cases(op)
    for variant, numbers in (("plain", {}), ("clip", {"clip_gradient": 0.2})):
        inputs = {}
        for group in range(count):
            for part in parts:
                wide = dtype == "float16" and part in MASTERS
                inputs[f"{part}_{group}"] = value(op, variant, f"{part}_{group}", (2, 3) if group else (3,),
                                                  "float32" if wide else dtype)
        inputs.update(extra or {})
        symbol = all_outputs(graph(op, list(inputs), {**attributes, **numbers}), count)
        add_call(cases, variant, symbol, op, inputs, {**attributes, **numbers}, count)
    cases.write()


RATES = {"lrs": (0.1, 0.2), "wds": (0.0, 0.3), "num_weights": 2}
ARRAYS = {"lrs": np.array([0.1, 0.2], "float32"), "wds": np.array([0.0, 0.3], "float32")}
several("multi_sgd_update", ["weight", "grad"], RATES)
several("multi_sgd_mom_update", ["weight", "grad", "mom"], {**RATES, "momentum": 0.9})
several("multi_mp_sgd_update", ["weight", "grad", "weight32"], RATES, "float16")
several("multi_mp_sgd_mom_update", ["weight", "grad", "mom", "weight32"], {**RATES, "momentum": 0.9}, "float16")
several("preloaded_multi_sgd_update", ["weight", "grad"], {"num_weights": 2}, extra=ARRAYS)
several("preloaded_multi_sgd_mom_update", ["weight", "grad", "mom"], {"num_weights": 2, "momentum": 0.9}, extra=ARRAYS)
several("preloaded_multi_mp_sgd_update", ["weight", "grad", "weight32"], {"num_weights": 2}, "float16", ARRAYS)
several("preloaded_multi_mp_sgd_mom_update", ["weight", "grad", "mom", "weight32"], {"num_weights": 2, "momentum": 0.9}, "float16",
        ARRAYS)
ADAMW = {**RATES, "etas": (0.5, 1.0)}
RESCALE = {"rescale": np.array([0.7], "float32")}
several("_multi_adamw_update", ["weight", "grad", "mean", "var"], ADAMW, extra=RESCALE)
several("_multi_mp_adamw_update", ["weight", "grad", "mean", "var", "weight32"], ADAMW, "float16", RESCALE)
LAMB = {"learning_rates": (0.1, 0.2), "wds": (0.0, 0.3), "step_count": (1, 3), "num_tensors": 2, "upper_bound": 1.0}
several("_multi_lamb_update", ["weight", "grad", "mean", "var"], LAMB)
several("_multi_mp_lamb_update", ["weight", "grad", "mean", "var", "weight32"], LAMB, "float16")

cases = Cases("all_finite")
for name, array in (("finite", [1, -2]), ("infinite", [1, np.inf]), ("nan", [np.nan, 0])):
    for dtype in ("float32", "float16"):
        cases.add(f"{name}_{dtype}", graph("all_finite", ["data"], {}), {"data": np.array(array, dtype)}, backward=False)
cases.write()
cases = Cases("multi_all_finite")
for name, last in (("finite", 3), ("infinite", -np.inf)):
    cases.add(name, graph("multi_all_finite", ["a", "b"], {"num_arrays": 2}),
              {"a": np.array([1, 2], "float32"), "b": np.array([[last]], "float32")}, backward=False)
cases.write()
cases = Cases("multi_sum_sq")
for dtype in ("float32", "float16"):
    cases.add(dtype, graph("multi_sum_sq", ["a", "b"], {"num_arrays": 2}),
              {"a": value("multi_sum_sq", "a", dtype, (2, 3), dtype), "b": value("multi_sum_sq", "b", dtype, (1,), dtype)},
              backward=False)
cases.write()
cases = Cases("multi_lars")
cases.add("plain", graph("multi_lars", ["lrs", "weights", "grads", "wds"], {"eta": 0.1, "eps": 0.01, "rescale_grad": 0.7}),
          {"lrs": np.array([0.1, 0.2, 0.3], "float32"), "weights": np.array([0, 2, 3], "float32"),
           "grads": np.array([1, 0, 2], "float32"), "wds": np.array([0.1, 0.1, 0.2], "float32")}, backward=False)
cases.write()
