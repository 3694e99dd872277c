"""quantised.py — small models that MXNet 1.9.1's own quantisation made, with every number of their runs.

A folder of tests/data/goldens/quantised holds what export() would write, input.npz, and values.npz: every output of every
operator, as MXNet computes it with oneDNN. README.md there lists the kinds. tests/engine/goldens/test-goldens-quantised reads them.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import io
import json
import logging
import os
import pathlib
import shutil
import sys
import zipfile
import zlib

os.environ["MXNET_MKLDNN_ENABLED"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import mxnet as mx      # noqa: E402  the switches above are read while importing
import numpy as np      # noqa: E402
from mxnet.contrib import quantization      # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "goldens" / "quantised"
S = mx.sym
IMAGE = {"data": (2, 3, 8, 8)}


def conv(x, filters, name, norm=True, relu=True, kernel=3, **attributes):
    y = S.Convolution(x, num_filter=filters, kernel=(kernel, kernel), pad=(kernel // 2, kernel // 2), no_bias=norm, name=name,
                      **attributes)
    if norm:
        y = S.BatchNorm(y, fix_gamma=False, eps=1e-4, name=f"{name}_bn")
    return S.Activation(y, act_type="relu", name=f"{name}_relu") if relu else y


def chain():
    y = conv(S.Variable("data"), 4, "conv1")
    y = S.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool")
    y = conv(y, 6, "conv2", relu=False, stride=(2, 2))
    y = S.Flatten(S.Pooling(y, global_pool=True, kernel=(2, 2), pool_type="avg", name="average"), name="flat")
    return S.FullyConnected(y, num_hidden=5, name="dense")


def residual():
    a = conv(S.Variable("data"), 4, "conv1")
    c = conv(conv(a, 4, "conv2"), 4, "conv3", relu=False)
    first = S.Activation(S.elemwise_add(c, a, name="add1"), act_type="relu", name="relu1")
    short = conv(first, 4, "short", relu=False, kernel=1)
    return S.Activation(S.elemwise_add(conv(first, 4, "conv4", relu=False), short, name="add2"), act_type="relu", name="relu2")


def mlp():
    y = S.Activation(S.FullyConnected(S.Variable("data"), num_hidden=8, name="dense1"), act_type="relu", name="relu1")
    y = S.Activation(S.FullyConnected(y, num_hidden=7, name="dense2"), act_type="sigmoid", name="sigmoid")
    return S.softmax(S.FullyConnected(y, num_hidden=6, no_bias=True, name="dense3"), name="prob")


def steps():
    """Functions that oneDNN applies to the result of a product."""
    y = S.FullyConnected(S.Variable("data"), num_hidden=8, name="dense1")
    y = S.FullyConnected(S.clip(y, a_min=0, a_max=0.5, name="clip"), num_hidden=7, name="dense2")
    y = S.FullyConnected(S.square(y, name="square"), num_hidden=6, name="dense3")
    y = S.LeakyReLU(y, act_type="leaky", slope=0.2, name="leaky")
    y = S.FullyConnected(y, num_hidden=5, name="dense4")
    return S.FullyConnected(S.abs(y, name="abs"), num_hidden=3, name="dense5")


def branch():
    x = S.Variable("data")
    joined = S.Concat(conv(x, 4, "conv1"), conv(x, 3, "conv2", relu=False), dim=1, name="joined")
    y = S.Pooling(joined, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg", name="average")
    return S.FullyConnected(S.Flatten(y, name="flat"), num_hidden=4, name="dense")


def pairs():
    x, y = S.Variable("data"), S.Variable("other")
    return S.FullyConnected(S.elemwise_mul(S.elemwise_add(x, y, name="add"), x, name="multiply"), num_hidden=3, name="dense")


def words():
    table = S.Embedding(S.Variable("data"), input_dim=10, output_dim=6, name="embedding")
    return S.FullyConnected(table, num_hidden=4, flatten=False, name="dense")


def normalised():
    y = S.BatchNorm(S.Variable("data"), fix_gamma=False, eps=1e-3, name="bn")
    y = S.Activation(y, act_type="relu", name="relu")
    y = S.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool")
    return conv(y, 3, "conv", norm=False, relu=False)


def functions():
    y = S.LeakyReLU(conv(S.Variable("data"), 4, "conv1", norm=False, relu=False), act_type="leaky", slope=0.2, name="leaky")
    y = S.clip(conv(y, 4, "conv2", relu=False, dilate=(2, 2)), a_min=0, a_max=6, name="clip")
    y = conv(y, 4, "conv3", relu=False, num_group=2)
    return S.Activation(conv(S.Activation(y, act_type="sigmoid", name="sigmoid"), 3, "conv4", norm=False, relu=False, kernel=1),
                        act_type="tanh", name="tanh")


def attention():
    qkv = S.FullyConnected(S.Variable("data"), num_hidden=24, flatten=False, name="qkv")
    scores = S.contrib.interleaved_matmul_selfatt_qk(qkv, heads=2, name="scores")
    values = S.contrib.interleaved_matmul_selfatt_valatt(qkv, S.softmax(scores, axis=-1, name="weights"), heads=2, name="values")
    return S.FullyConnected(values, num_hidden=5, flatten=False, name="projection")


def plain():
    """What the first version quantises without fused layers: it takes uint8 data only, and no groups."""
    y = conv(S.Variable("data"), 4, "conv1", norm=False)
    return conv(S.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool"), 3, "conv2", norm=False, relu=False)


# name: model, shapes, lowest input, fused layers, options of quantize_model, what it shows
CASES = {
    "conv-bn-relu": (chain, IMAGE, -1, True, {"calib_mode": "naive"}, "convolutions with BatchNorm and rectifier as one layer"),
    "conv-online": (chain, IMAGE, -1, True, {"calib_mode": "none"}, "no calibration: int32 results, ranges of each run"),
    "residual": (residual, IMAGE, -1, True, {"calib_mode": "naive"}, "sums in the convolution, on int8 and on uint8"),
    "residual-online": (residual, IMAGE, -1, True, {"calib_mode": "none"}, "sums without calibration"),
    "dense-channels": (mlp, {"data": (4, 10)}, -1, True,
                       {"calib_mode": "naive", "quantize_granularity": "channel-wise"}, "float weights, a scale for each output"),
    "dense-tensor": (mlp, {"data": (4, 10)}, -1, True, {"calib_mode": "naive"}, "int8 weights with one range"),
    "dense-online": (mlp, {"data": (4, 10)}, -1, True, {"calib_mode": "none"}, "int8 weights without calibration"),
    "dense-plain": (mlp, {"data": (4, 10)}, -1, False, {"calib_mode": "naive"}, "no fused layers: requantize after each product"),
    "dense-steps": (steps, {"data": (4, 10)}, -1, True, {"calib_mode": "naive"}, "functions that follow a product"),
    "branch": (branch, IMAGE, -1, True, {"calib_mode": "naive"}, "concat, average and flatten"),
    "pairs": (pairs, {"data": (3, 5), "other": (3, 5)}, -1, True, {"calib_mode": "naive"}, "sum and product of two inputs"),
    "pairs-plain": (pairs, {"data": (3, 5), "other": (3, 5)}, -1, False, {"calib_mode": "none"}, "the same in int32"),
    "words": (words, {"data": (2, 3)}, 0, True, {"calib_mode": "naive"}, "an int8 table of words"),
    "normalised": (normalised, IMAGE, -1, True, {"calib_mode": "naive"}, "a BatchNorm of its own, and a rectifier"),
    "functions": (functions, IMAGE, -1, True, {"calib_mode": "naive", "excluded_sym_names": ["sg_mkldnn_conv_3"]},
                  "leaky rectifier, clip, groups, dilation; one layer stays float"),
    "attention": (attention, {"data": (4, 2, 8)}, -1, True, {"calib_mode": "naive"}, "self attention"),
    "conv-plain": (plain, IMAGE, 0, False, {"calib_mode": "naive", "quantized_dtype": "uint8", "excluded_sym_names": ["conv1_relu"]},
                   "no fused layers, uint8 data"),
}


def random_for(name):
    return np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)


def parameters_of(symbol, shapes, random):
    arguments, _, states = symbol.infer_shape(**shapes)
    args = {name: mx.nd.array(random.uniform(-0.5, 0.5, shape)) for name, shape in zip(symbol.list_arguments(), arguments)
            if name not in shapes}
    auxs = {name: mx.nd.array(random.uniform(0.5, 1.5, shape) if name.endswith("var") else random.uniform(-0.3, 0.3, shape))
            for name, shape in zip(symbol.list_auxiliary_states(), states)}
    return args, auxs


def write_npz(path, arrays):
    """The same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, value in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.require(value, requirements="C"), allow_pickle=False)
            info = zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(info, member.getvalue(), compress_type=zipfile.ZIP_DEFLATED)


def run(symbol, args, auxs, inputs):
    given = {name: mx.nd.array(value, dtype=value.dtype) for name, value in inputs.items()}
    executor = symbol.bind(mx.cpu(), {**args, **given}, aux_states=auxs, grad_req="null")
    return [output.asnumpy() for output in executor.forward(is_train=False)]


def last_step(symbol, values):
    """The size of one level of the last value of 8 bits, or of the last product of such values that is float."""
    step = 0.0
    for output in symbol.get_internals().list_outputs():
        value = values.get(output)
        if value is None or value.dtype.itemsize != 1:
            continue
        stem = output[:-len("_output")]
        limits = [values[key] for key in values if key.startswith(f"{stem}_") and key.endswith(("min", "max", "min_output", "max_output"))
                  or key in (f"{stem}_output1", f"{stem}_output2")]
        step = max(float(abs(limit).max()) for limit in limits) / 127 if limits else step
    return step


def write(name):
    build, shapes, lowest, fused, options, note = CASES[name]
    random = random_for(name)
    symbol = build()
    args, auxs = parameters_of(symbol, shapes, random)
    inputs = {key: random.uniform(lowest, 1, shape).astype("float32") for key, shape in shapes.items()}
    if build is words:
        inputs = {"data": random.randint(0, 10, shapes["data"]).astype("float32")}
    float_output = run(symbol, args, auxs, inputs)[0]

    start = symbol.get_backend_symbol("MKLDNN_QUANTIZE") if fused else symbol
    options = {"quantized_dtype": "auto", "quantize_mode": "full", **options}
    if options["calib_mode"] != "none":
        batch = next(iter(shapes.values()))[0]
        options.update(calib_data=mx.io.NDArrayIter(dict(inputs), batch_size=batch, label=None), num_calib_examples=batch)
    quantised, args, auxs = quantization.quantize_model(start, args, auxs, data_names=list(shapes), label_names=None,
                                                        logger=logging.getLogger("quiet"), **options)
    if fused:
        quantised = quantised.get_backend_symbol("MKLDNN_QUANTIZE")

    internals = quantised.get_internals()
    values = {key: value for key, value in zip(internals.list_outputs(), run(internals, args, auxs, inputs))
              if key.endswith(("_output", "_min", "_max")) or "_output" in key}
    outputs = run(quantised, args, auxs, inputs)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / f"{name}-symbol.json").write_text(quantised.tojson())
    mx.nd.save(str(folder / f"{name}-0000.params"),
               {**{f"arg:{key}": value for key, value in sorted(args.items())},
                **{f"aux:{key}": value for key, value in sorted(auxs.items())}})
    write_npz(folder / "input.npz", inputs)
    write_npz(folder / "output.npz", dict(zip(quantised.list_outputs(), outputs)))
    write_npz(folder / "values.npz", values)
    write_npz(folder / "float.npz", {"output": float_output})
    error = float(abs(outputs[0].astype("float64") - float_output).max())
    case = {"name": name, "note": note, "step": last_step(quantised, values), "float_error": error,
            "nodes": len(json.loads(quantised.tojson())["nodes"])}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    print(f"{name}: {sorted({n['op'] for n in json.loads(quantised.tojson())['nodes']} - {'null'})} "
          f"step {case['step']:.4g}, differs from float by {error:.4g} of {abs(float_output).max():.4g}", file=sys.stderr)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    for each in sys.argv[1:] or CASES:
        write(each)
