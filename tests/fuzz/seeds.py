#!/usr/bin/env python3
# seeds.py - writes the first files of the corpora: small and valid, one kind of content each.
#
#   tests/fuzz/seeds.py FOLDER [GOLDENS…]
#
# FOLDER gets one folder for each harness.  Graphs come from files of tests/data/goldens (or those that
# are given): every case of an operator, with the types of its inputs as attributes of the variables.
# Everything else is made here.  tests/fuzz/run --minimise reduces a corpus to what reaches something new.
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob
import gzip
import io
import json
import os
import struct
import sys
import zipfile

DTYPES = {"<f4": 0, "<f8": 1, "<f2": 2, "|u1": 3, "<i4": 4, "|i1": 5, "<i8": 6, "|b1": 7}
HERE = os.path.dirname(os.path.abspath(__file__))
MAX_ELEMENTS = 4096  # of the inputs of a graph: a run must be quick


def write(folder, harness, name, data):
    path = os.path.join(folder, harness)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


# --- Graphs ---


def npy_type(data):
    """Element type and shape of an npy file."""
    length = struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10:10 + length].decode(), {"__builtins__": {}})  # own files only
    return header["descr"], header["shape"]


def with_types(symbol, types):
    for node in symbol["nodes"]:
        descr, shape = types.get(node["name"], (None, None))
        if node["op"] == "null" and shape is not None:
            attributes = node.setdefault("attrs", {})
            attributes["__shape__"] = str(tuple(shape))
            if DTYPES.get(descr, 0):
                attributes["__dtype__"] = str(DTYPES[descr])
    return symbol


def graphs_of(file):
    """The symbol of each case of an operator, with the types of its inputs, and its attributes."""
    golden = json.load(open(file))
    if not os.path.exists(file[:-5] + ".npz"):
        return
    arrays = zipfile.ZipFile(file[:-5] + ".npz")
    names = arrays.namelist()
    for case in golden.get("cases", []):
        prefix = case["name"] + "/in/"
        types = {name[len(prefix):-4]: npy_type(arrays.read(name)) for name in names if name.startswith(prefix)}
        elements = 0
        for _, shape in types.values():
            count = 1
            for dim in shape:
                count *= dim
            elements += count
        if "symbol" in case and elements <= MAX_ELEMENTS:
            yield case["name"], with_types(case["symbol"], types)


def write_graphs(folder, roots):
    files = sorted(path for root in roots for path in glob.glob(root + "/*.json"))
    for file in files:
        operator = os.path.basename(file)[:-5]
        for index, (case, symbol) in enumerate(graphs_of(file)):
            text = json.dumps(symbol, separators=(",", ":"))
            write(folder, "run", f"{operator}-{index}", text)
            if index == 0:
                write(folder, "symbol", operator, text)
            for node in symbol["nodes"]:
                attributes = node.get("attrs")
                if node["op"] != "null" and attributes:
                    lines = [node["op"]] + [part for pair in attributes.items() for part in pair]
                    write(folder, "attributes", f"{operator}-{index}", "\n".join(map(str, lines)))


def write_models(folder, roots):
    """Whole models with loops, branches and cells, whose input types stand in case.json."""
    for root in roots:
        for file in sorted(glob.glob(root + "/*/*-symbol.json")):
            name = os.path.basename(os.path.dirname(file))
            if os.path.getsize(file) > 12000:
                continue
            types = {}
            inputs = os.path.join(os.path.dirname(file), "input.npz")
            if os.path.exists(inputs):
                archive = zipfile.ZipFile(inputs)
                types = {entry[:-4]: npy_type(archive.read(entry)) for entry in archive.namelist()}
            symbol = with_types(json.load(open(file)), types)
            text = json.dumps(symbol, separators=(",", ":"))
            write(folder, "run", "model-" + name, text)
            write(folder, "symbol", "model-" + name, text)


def write_old_graphs(folder):
    """The spellings of older versions."""
    node = {"op": "FullyConnected", "param": {"num_hidden": "3"}, "name": "fc", "inputs": [[0, 0], [1, 0], [2, 0]],
            "backward_source_id": -1}
    variables = [{"op": "null", "param": {}, "name": name, "inputs": [], "backward_source_id": -1}
                 for name in ("data", "fc_weight", "fc_bias")]
    write(folder, "symbol", "version-0.7", json.dumps(
        {"nodes": variables + [node], "arg_nodes": [0, 1, 2], "heads": [[3, 0]]}))
    node = dict(node, attr={"num_hidden": "3", "ctx_group": "a", "lr_mult": "2"})
    del node["param"]
    write(folder, "symbol", "version-0.9", json.dumps(
        {"nodes": variables + [node], "arg_nodes": [0, 1, 2], "heads": [[3, 0]],
         "attrs": {"mxnet_version": ["int", 904]}}))


# --- Parameter files ---


def record(version, shape, dtype, data, sparse=None):
    magic = [0, 0xF993FAC8, 0xF993FAC9, 0xF993FACA][version]
    dims = struct.pack(f"<I{len(shape)}{'I' if version == 0 else 'q'}", len(shape), *shape)
    if version == 0:
        return dims + struct.pack("<iii", 1, 0, dtype) + data
    if version == 1:
        return struct.pack("<I", magic) + dims + struct.pack("<iii", 1, 0, dtype) + data
    if not sparse:
        return struct.pack("<Ii", magic, 0) + dims + struct.pack("<iii", 1, 0, dtype) + data
    storage, stored, auxiliary = sparse
    out = struct.pack("<Ii", magic, storage)
    out += struct.pack(f"<I{len(stored)}q", len(stored), *stored) + dims + struct.pack("<iii", 1, 0, dtype)
    for values in auxiliary:
        out += struct.pack("<iIq", 6, 1, len(values))
    return out + data + b"".join(struct.pack(f"<{len(values)}q", *values) for values in auxiliary)


def params(records, names):
    out = struct.pack("<QQQ", 0x112, 0, len(records)) + b"".join(records) + struct.pack("<Q", len(names))
    return out + b"".join(struct.pack("<Q", len(name)) + name.encode() for name in names)


def floats(n):
    return struct.pack(f"<{n}f", *[0.25 * i for i in range(n)])


def write_params(folder):
    for version in range(4):
        write(folder, "params", f"version-{version}", params(
            [record(version, (2, 3), 0, floats(6)), record(version, (4,), 6, bytes(32))], ["arg:w", "aux:m"]))
    write(folder, "params", "without-names", params([record(2, (2,), 1, bytes(16))], []))
    write(folder, "params", "empty", params([struct.pack("<Iii", 0xF993FAC9, 0, 0)], ["arg:e"]))
    write(folder, "params", "scalar", params([record(3, (), 0, floats(1))], ["s"]))
    write(folder, "params", "rows", params(
        [record(2, (5, 2), 0, floats(4), (1, (2, 2), [[1, 4]]))], ["arg:rows"]))
    write(folder, "params", "csr", params(
        [record(2, (3, 4), 0, floats(3), (2, (3,), [[0, 1, 1, 3], [2, 0, 3]]))], ["arg:csr"]))
    for dtype, size in enumerate([4, 8, 2, 1, 4, 1, 8, 1]):
        write(folder, "params", f"dtype-{dtype}", params([record(2, (3,), dtype, bytes(3 * size))], ["arg:d"]))


def write_checkpoints(folder):
    def arrays(stems):
        return params([record(2, shape, 0, floats(shape[0] * (shape[1] if len(shape) > 1 else 1)))
                       for _, shape in stems], ["arg:" + name for name, _ in stems])

    def gates(stem, letters, inputs):
        return [(f"{stem}_{part}_{letter}_{kind}", (4, inputs if part == "i2h" else 4)[:1 + (kind == "weight")])
                for part in ("i2h", "h2h") for letter in letters for kind in ("weight", "bias")]
    write(folder, "checkpoint", "stack", arrays(gates("lstm_l0", "ifco", 3) + gates("gru_l1", "rzo", 4)))
    write(folder, "checkpoint", "fused-lstm", arrays(gates("lstm_l0", "ifco", 3) + gates("lstm_l1", "ifco", 4)))
    write(folder, "checkpoint", "fused-gru", arrays(
        gates("gru_l0", "rzo", 3) + gates("gru_r0", "rzo", 3) + gates("gru_l1", "rzo", 8) + gates("gru_r1", "rzo", 8)))
    write(folder, "checkpoint", "packed", arrays([("lstm_parameters", (316,)), ("gru_parameters", (492,))]))


# --- NumPy's files ---


def npy(descr, shape, data, order="False", version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 16) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def archive(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def write_numpy(folder):
    single = {
        "float": npy("<f4", (2, 3), floats(6)),
        "big-endian": npy(">f8", (2,), bytes(16)),
        "fortran": npy("<f4", (2, 3), floats(6), "True"),
        "scalar": npy("<i8", (), bytes(8)),
        "version-2": npy("<f2", (3,), bytes(6), version=2),
        "bool": npy("|b1", (4,), b"\0\1\1\0"),
    }
    for name, data in single.items():
        write(folder, "npz", "npy-" + name, data)
    members = [(name + ".npy", data) for name, data in single.items()]
    write(folder, "npz", "stored", archive(members))
    write(folder, "npz", "deflated", archive(members, zipfile.ZIP_DEFLATED))
    sparse = [("w/format.npy", npy("<i4", (), struct.pack("<i", 2))),
              ("w/shape.npy", npy("<i8", (2,), struct.pack("<qq", 3, 4))),
              ("w/data.npy", npy("<f4", (2,), floats(2))),
              ("w/indptr.npy", npy("<i8", (4,), struct.pack("<4q", 0, 1, 1, 2))),
              ("w/indices.npy", npy("<i8", (2,), struct.pack("<2q", 2, 3)))]
    write(folder, "npz", "csr", archive(sparse))
    rows = [("w/format.npy", npy("<i4", (), struct.pack("<i", 1))), sparse[1],
            ("w/data.npy", npy("<f4", (1, 4), floats(4))), ("w/indices.npy", npy("<i8", (1,), struct.pack("<q", 2)))]
    write(folder, "npz", "rows", archive(rows))


# --- Captures ---


def capture(texts, numbers, graphs, nodes, edges, samples, events, memory, symbol):
    strings, offsets = bytearray(b"\0"), {"": 0}

    def text(value):
        if value not in offsets:
            offsets[value] = len(strings)
            strings.extend(value.encode() + b"\0")
        return offsets[value]
    none = 0xFFFFFFFF
    sections = [None,
                b"".join(struct.pack("<II", text(k), text(v)) for k, v in texts),
                b"".join(struct.pack("<IId", text(k), 0, v) for k, v in numbers),
                b"".join(struct.pack("<III", text(name), parent, body) for name, parent, body in graphs),
                b"".join(struct.pack("<11IHHddd", *node_fields(text, node, none)) for node in nodes),
                struct.pack(f"<{len(edges)}I", *edges),
                b"".join(struct.pack("<IId", *sample) for sample in samples),
                b"".join(struct.pack("<QQIIHHI", *event) for event in events),
                b"".join(struct.pack("<IIQ", row, 0, size) for row, size in memory),
                symbol]
    sections[0] = bytes(strings)
    sizes = [1, 8, 16, 12, 72, 4, 16, 32, 16, 1]
    at, table, body = 32 + 24 * len(sections), b"", b""
    for kind, data in enumerate(sections):
        table += struct.pack("<IIQQ", kind, sizes[kind], at + len(body), len(data) // sizes[kind])
        body += data + bytes(-len(data) % 8)
    header = struct.pack("<8sIIQII", b"hscope\x1a\n", 1, 0x01020304, at + len(body), len(sections), 0)
    return header + table + body


def node_fields(text, node, none):
    name, kind, graph, step, first, n = node
    folded = name.replace(f"t{step}_", "t*_") if step != none else name
    return (text(name), text(kind), text("(2, 3)"), text(name.split("_")[0]), text(folded), graph, 0, none, step, first,
            n, 1, 2, 100.0, 24.0, 24.0)


def event(begin, duration, kind, depth, node, step=0, graph=0, run=0):
    return begin, duration | kind << 40 | depth << 44, node, step, graph, run, 0


def write_captures(folder):
    import zlib
    none = 0xFFFFFFFF
    facts = [("program", "hscope"), ("subject", "net"), ("mode", "static"), ("gradient.w", "3")]
    numbers = [("trace.overhead_ns", 40.0), ("trace.clock_ns", 20.0), ("memory.planned", 4096.0), ("threads", 1.0),
               ("peak.flops", 1e10), ("peak.bytes", 1e10), ("gradient.x", 2.0)]
    nodes = [("data", "null", 0, none, 0, 0), ("net_t0_fc", "FullyConnected", 0, 0, 0, 1),
             ("net_t1_fc", "FullyConnected", 0, 1, 1, 1), ("loop", "_foreach", 0, none, 2, 1),
             ("body_relu", "relu", 1, none, 3, 1)]
    events = []
    for run in range(3):
        begin = 100000 * run
        events += [event(begin + 10, 300, 0, 1, 1, run=run), event(begin + 400, 200, 0, 1, 2, run=run)]
        for step in range(2):
            events += [event(begin + 700 + 100 * step, 50, 0, 3, 4, step, 1, run),
                       event(begin + 690 + 100 * step, 80, 1, 2, 0, step, 0, run)]
        events += [event(begin + 680, 300, 0, 1, 3, run=run), event(begin, 1200, 5, 0, 0, run=run)]
    samples = [(0, 0, 1e-3), (1, 0, 2e-5)] + [(2, i, 1e-5 + 1e-7 * i) for i in range(6)] + [(3, i, 2e-5) for i in range(3)]
    symbol = zlib.compress(b'{"nodes": [{"op": "null", "name": "data", "inputs": []}], "heads": [[0, 0, 0]]}')
    graphs = [("main", none, none), ("body", 3, 0)]
    whole = (facts, numbers, graphs, nodes, [0, 1, 2, 0], samples, events, [(1, 64), (2, 128)], symbol)
    write(folder, "capture", "whole", capture(*whole))
    write(folder, "capture", "no-events", capture(*whole[:6], [], [], b""))
    write(folder, "capture", "exact", capture(*whole[:5], samples + [(4, 2, 3e-5)], *whole[6:]))
    write(folder, "capture", "empty", capture([], [], [], [], [], [], [], [], b""))


# --- Traces ---


def write_traces(folder):
    def span(name, begin, phase, category="operator", **more):
        return dict({"name": name, "cat": category, "ph": phase, "ts": begin, "pid": 1, "tid": 2}, **more)
    mxnet = [{"ph": "M", "args": {"name": "cpu/0"}, "pid": 1, "name": "process_name"}]
    for run in range(2):
        at = 1000 * run
        for index, name in enumerate(["Convolution", "Activation", "Activation", "elemwise_add", "FullyConnected", "softmax"]):
            mxnet += [span(name, at + 100 * index, "B"), span(name, at + 100 * index + 50, "E")]
    write(folder, "trace", "mxnet", json.dumps({"traceEvents": mxnet, "displayTimeUnit": "ms"}))
    write(folder, "trace", "cut", json.dumps({"traceEvents": mxnet})[:900])
    bulk = [span("[Convolution,Activation,Activation,elemwise_add]", 0, "B"),
            span("[Convolution,Activation,Activation,elemwise_add]", 90, "E"), span("FullyConnected", 100, "X", dur=5)]
    write(folder, "trace", "bulk", json.dumps(bulk))
    torch = [span("aten::conv2d", 10.5, "X", "cpu_op", dur=20.25, args={"External id": 1, "Input Dims": [[2, 3]]}),
             span("aten::relu", 40, "X", "cpu_op", dur=3)]
    write(folder, "trace", "torch", json.dumps({"schemaVersion": 1, "traceEvents": torch}))
    onnx = [span("conv_kernel_time", 5, "X", "Node", dur=7, args={"op_name": "Conv", "node_index": "3"}),
            span("relu0", 15, "X", "Node", dur=7, args={"node": "relu0"})]
    write(folder, "trace", "onnx", json.dumps(onnx))
    write(folder, "trace", "unescaped", '[{"name": "a"b\\", "ph": "X", "ts": 1, "dur": 2},\n{"name": "relu0", "ph": "B", "ts": 18446744073709551615},')


# --- Everything else ---


# --- ONNX ---


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def message(*fields):
    """A message in protobuf's wire format of (number, int, float, text, bytes or message)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 5) + struct.pack("<f", value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def onnx_value(name, dtype, *dims):
    shape = message(*[(1, message((1 if isinstance(dim, int) else 2, dim))) for dim in dims])
    return message((1, name), (2, message((1, message((1, dtype), (2, shape))))), (4, message((1, "k"), (2, "v"))))


def onnx_model(graph, *more):
    return message((1, 10), (2, "seeds"), (8, message((1, ""), (2, 18))), (14, message((1, "a"), (2, "b"))),
                   (7, graph), *more)


def write_onnx(folder):
    """One model of each kind of message."""
    relu = message((1, "x"), (2, "y"), (3, "n"), (4, "Relu"), (7, "ai.onnx"), (9, message((1, "namespace"), (2, "a/b"))))
    ends = [(11, onnx_value("x", 1, "batch", 3)), (12, onnx_value("y", 1, 2, 3)), (13, onnx_value("z", 7))]
    write(folder, "onnx", "relu", onnx_model(message((1, relu), (2, "g"), *ends)))
    fields = {4: floats(2), 5: b"\x01\x02", 7: b"\x01\x02", 10: struct.pack("<2d", 1, 2), 11: b"\x01\x02"}
    tensors = [(1, 4), (3, 5), (10, 5), (22, 5), (7, 7), (11, 10), (12, 11), (13, 11)]
    write(folder, "onnx", "typed", onnx_model(message(*[
        (5, message((1, 2), (2, dtype), (8, "t%d" % dtype), (field, fields[field]))) for dtype, field in tensors])))
    outside = message((1, 2), (2, 1), (8, "w"), (13, message((1, "location"), (2, "w.bin"))),
                      (13, message((1, "offset"), (2, "0"))), (13, message((1, "length"), (2, "8"))), (14, 1))
    raw = message((1, 2), (2, 1), (9, floats(2)), (8, "r"))
    text = message((1, 2), (2, 8), (6, "a"), (6, "b"), (8, "s"))
    for name, tensor in (("tensor", raw), ("tensor-of-strings", text), ("tensor-elsewhere", outside),
                         ("tensor-typed", message((1, 2), (2, 7), (7, b"\x01\x02"), (8, "t")))):
        write(folder, "onnx", name, tensor)
    sparse = message((1, raw), (2, message((1, 2), (2, 7), (7, b"\x00\x03"))), (3, 4))
    write(folder, "onnx", "tensors", onnx_model(message((5, outside), (5, raw), (5, text), (15, sparse))))
    body = message((1, relu), (2, "body"), *ends)
    kinds = [(2, 1.5), (3, 7), (4, "s"), (5, raw), (6, body), (7, floats(2)), (8, b"\x01\x02"), (9, "a"), (10, raw),
             (11, body), (22, sparse), (23, sparse), (14, message((1, message((1, 1))))), (15, message((9, b"")))]
    attributes = [(5, message((1, "a%d" % i), kinds[i], (20, i + 1)))
                  for i in range(len(kinds))]
    write(folder, "onnx", "attributes", onnx_model(message((1, message((4, "If"), *attributes)))))
    call = message((1, "x"), (2, "y"), (4, "F"), (7, "mine"), (8, "f"), (5, message((1, "a"), (21, "b"), (20, 2))))
    function = message((1, "F"), (4, "x"), (5, "y"), (6, "b"), (7, call), (9, message((2, 18))), (10, "mine"),
                       (11, message((1, "c"), (3, 4), (20, 2))), (12, onnx_value("x", 1, 2)), (13, "f"))
    write(folder, "onnx", "function", onnx_model(message((1, call), *ends), (25, function)))
    inner = message((1, message((1, 7), (2, b""))))
    types = [message((4, message((1, inner)))), message((9, message((1, inner)))), message((8, message((1, 1)))),
             message((5, message((1, 7), (2, inner)))), message((7, message((1, "d"), (2, "n"))))]
    write(folder, "onnx", "types", onnx_model(message(*[(11, message((1, "v"), (2, kind))) for kind in types])))
    write(folder, "onnx", "joined", onnx_model(message((1, relu)), (7, message((2, "more"), (1, relu)))))


def write_others(folder):
    graph = json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []},
                                  {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}],
                        "arg_nodes": [0], "heads": [[1, 0, 0]]}).encode()
    write(folder, "any", "gzip", gzip.compress(graph, mtime=0))
    write(folder, "any", "graph", graph)
    write(folder, "any", "params", params([record(2, (2,), 0, floats(2))], ["arg:w"]))
    write(folder, "any", "npz", archive([("a.npy", npy("<f4", (2,), floats(2)))]))
    write(folder, "any", "npy", npy("<f4", (2,), floats(2)))
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    write(folder, "any", "safetensors", struct.pack("<Q", len(header)) + header + bytes(8))
    header = (b'{"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},'
              b'"h":{"dtype":"F16","shape":[],"data_offsets":[3,5]},"q":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[5,6]}}')
    write(folder, "any", "safetensors-types", struct.pack("<Q", len(header)) + header + bytes(6))
    write(folder, "any", "hdf5", b"\x89HDF\r\n\x1a\n" + bytes(32))
    write(folder, "any", "onnx", b"\x08\x07\x12\x07pytorch\x1a\x031.9:\x10" + bytes(16))
    write(folder, "any", "pickle", b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01K\x01u.")
    write(folder, "any", "torch", archive([("archive/data.pkl", b"\x80\x02."), ("archive/version", b"3\n")]))
    write(folder, "any", "keras", archive([("config.json", b"{}"), ("model.weights.h5", b"\x89HDF\r\n\x1a\n")]))
    write(folder, "any", "gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    write(folder, "any", "lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
    write(folder, "any", "html", b"<!DOCTYPE html><html></html>")
    write(folder, "any", "tflite", struct.pack("<I", 28) + b"TFL3" + bytes(24))
    write(folder, "any", "utf16", b"\xff\xfe" + "{}".encode("utf-16-le"))
    write(folder, "any", "caffe", b'name: "net"\nlayer {\n  name: "data"\n}\n')
    write(folder, "any", "tar", b"a.txt".ljust(257, b"\0") + b"ustar\x0000" + bytes(248))
    labels = b"\0\0\x08\1" + struct.pack(">I", 20) + bytes(range(20))
    images = b"\0\0\x08\3" + struct.pack(">III", 20, 2, 2) + bytes(range(80))
    write(folder, "data", "idx", b"L" + struct.pack("<H", len(labels)) + labels + images)
    write(folder, "data", "text", "the quick brown fox jumps over the lazy dog. " * 6)
    write(folder, "data", "batches", archive([("data.npy", npy("<f4", (2, 3, 2), floats(12))),
                                              ("label.npy", npy("<f4", (2, 2), floats(4)))]))
    for name, text in {"shape": "=data=1,3,224,224", "shape-open": "=x=(?,3x4)", "shape-scalar": "=x=",
                       "tuple": "transpose\naxes\n(1, -2, None)"}.items():
        write(folder, "attributes", name, text)


def main():
    folder = sys.argv[1]
    data = os.path.join(HERE, "..", "data", "goldens")
    roots = sys.argv[2:] or [data]
    write_graphs(folder, [os.path.join(root, kind) for root in roots for kind in ("ops", "generated")])
    write_models(folder, [os.path.join(root, "models") for root in roots])
    write_old_graphs(folder)
    write_params(folder)
    write_checkpoints(folder)
    write_numpy(folder)
    write_captures(folder)
    write_traces(folder)
    write_onnx(folder)
    write_others(folder)


main()
