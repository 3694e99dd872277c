"""quantised_ops.py — single operators on quantised values, with oneDNN, which MXNet needs for them.

Whole models are in quantised.py.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import os

os.environ["MXNET_MKLDNN_ENABLED"] = "1"

from golden import Cases, mx, np, random_for      # noqa: E402  golden.py would switch oneDNN off

S = mx.sym


def limits(**values):
    return {name: np.array([value], dtype="float32") for name, value in values.items()}


def levels(op, name, shape, dtype="int8"):
    info = np.iinfo(dtype)
    return random_for(op, name).randint(info.min, info.max + 1, shape).astype(dtype)


def variables(*names):
    return [S.Variable(name) for name in names]


def quantise():
    data = random_for("quantise").uniform(-2, 2, (3, 5)).astype("float32")
    data.flat[:4] = [0.5 * 1.5 / 127.5, -2, 2, 0]
    positive = np.abs(data)
    cases = Cases("_contrib_quantize")
    for dtype in ("int8", "uint8"):
        x, low, high = variables("data", "low", "high")
        cases.add(dtype, S.contrib.quantize(x, low, high, out_type=dtype, name="op"),
                  {"data": positive if dtype == "uint8" else data, **limits(low=-1.5 if dtype == "int8" else 0, high=1.75)},
                  "numbers outside of the range", train=False, backward=False)
    cases.write()
    cases = Cases("_contrib_quantize_v2")
    for name, array, options in [("online", data, {}), ("one-element", data[:1, :1], {}),
                                 ("calibrated", data, {"min_calib_range": -1.5, "max_calib_range": 1.0}),
                                 ("automatic-uint8", positive, {"out_type": "auto", "min_calib_range": 0.0, "max_calib_range": 1.5}),
                                 ("automatic-int8", data, {"out_type": "auto"}),
                                 ("four-axes", data.reshape(1, 3, 5, 1), {"out_type": "int8"})]:
        cases.add(name, S.contrib.quantize_v2(S.Variable("data"), name="op", **options), {"data": array}, train=False, backward=False)
    cases.write()
    cases = Cases("_contrib_dequantize")
    for dtype in ("int8", "uint8"):
        x, low, high = variables("data", "low", "high")
        cases.add(dtype, S.contrib.dequantize(x, low, high, name="op"),
                  {"data": levels("dequantize", dtype, (3, 4), dtype), **limits(low=-0.5 if dtype == "int8" else 0, high=1.25)},
                  train=False, backward=False, infers=False)
    cases.write()
    cases = Cases("_contrib_requantize")
    sums = random_for("requantize").randint(-20000, 20000, (3, 5)).astype("int32")
    for name, options in [("online", {}), ("calibrated", {"min_calib_range": -0.25, "max_calib_range": 0.5}),
                          ("uint8", {"out_type": "uint8", "min_calib_range": 0.0, "max_calib_range": 0.5})]:
        x, low, high = variables("data", "low", "high")
        cases.add(name, S.contrib.requantize(x, low, high, name="op", **options),
                  {"data": sums, **limits(low=-80000, high=80000)}, train=False, backward=False)
    cases.write()


def layers():
    cases = Cases("_contrib_quantized_pooling")
    for kind, dtype, options in [("max", "int8", {"stride": (2, 2)}), ("avg", "uint8", {"stride": (2, 2), "pad": (1, 1)}),
                                 ("avg", "int8", {"pooling_convention": "full", "stride": (2, 1)}), ("max", "uint8", {"global_pool": True})]:
        x, low, high = variables("data", "low", "high")
        symbol = S.contrib.quantized_pooling(x, low, high, kernel=(2, 2), pool_type=kind, name="op", **options)
        cases.add(f"{kind}-{dtype}-{len(cases.cases)}", symbol,
                  {"data": levels("pooling", kind + dtype, (2, 3, 5, 4), dtype), **limits(low=-1, high=1)}, train=False, backward=False,
                  infers=False)
    cases.write()
    cases = Cases("_contrib_quantized_flatten")
    x, low, high = variables("data", "low", "high")
    cases.add("four-axes", S.contrib.quantized_flatten(x, low, high, name="op"),
              {"data": levels("flatten", "data", (2, 3, 1, 2)), **limits(low=-1, high=2)}, train=False, backward=False, infers=False)
    cases.write()
    cases = Cases("_contrib_quantized_fully_connected")
    for name, dtype, bias in [("int8", "int8", True), ("uint8", "uint8", True), ("no-bias", "int8", False)]:
        names = ["data", "weight"] + ["bias"] * bias
        pairs = [f"{limit}_{each}" for each in names for limit in ("min", "max")]
        symbol = S.contrib.quantized_fully_connected(*variables(*names), **{key: S.Variable(key) for key in pairs}, num_hidden=5,
                                                     no_bias=not bias, name="op")
        inputs = {"data": levels("fc", name, (3, 7), dtype), "weight": levels("fc", name + "w", (5, 7))}
        if bias:
            inputs["bias"] = levels("fc", name + "b", (5,))
        cases.add(name, symbol, {**inputs, **limits(**{key: 0.75 if key.startswith("max") else -0.5 for key in pairs})},
                  train=False, backward=False, infers=False)
    cases.write()
    cases = Cases("_contrib_quantized_elemwise_mul")
    for name, options in [("int32", {}), ("calibrated", {"min_calib_range": -2.0, "max_calib_range": 2.0}),
                          ("floats", {"enable_float_output": True})]:
        names = ["lhs", "rhs", "lhs_min", "lhs_max", "rhs_min", "rhs_max"]
        symbol = S.contrib.quantized_elemwise_mul(*variables(*names), name="op", **options)
        cases.add(name, symbol, {"lhs": levels("mul", "l", (3, 4)), "rhs": levels("mul", "r", (3, 4)),
                                 **limits(lhs_min=-1, lhs_max=1, rhs_min=-2, rhs_max=1.5)}, train=False, backward=False, infers=False)
    cases.write()


if __name__ == "__main__":
    quantise()
    layers()
