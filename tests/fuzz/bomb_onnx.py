# bomb_onnx.py - hostile ONNX files.
#
# Each maker returns the bytes of one file, or a dictionary of files.  The table at the end names them.
# SPDX-License-Identifier: LGPL-2.1-or-later


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def message(*fields):
    """A message in protobuf's wire format of (number, int, text or bytes)."""
    out = []
    for number, value in fields:
        if isinstance(value, int):
            out.append(varint(number << 3) + varint(value))
        else:
            data = value.encode() if isinstance(value, str) else value
            out.append(varint(number << 3 | 2) + varint(len(data)) + data)
    return b"".join(out)


def model(graph, *more):
    return message((1, 8), (8, message((2, 17))), (7, graph), *more)


def value(name, *dims):
    shape = message(*[(1, message((1, dim))) for dim in dims])
    return message((1, name), (2, message((1, message((1, 1), (2, shape))))))


def node(kind, inputs, outputs, *more):
    return message(*[(1, name) for name in inputs], *[(2, name) for name in outputs], (4, kind), *more)


def network(*fields):
    """A graph of x -> y."""
    return model(message((2, "g"), (11, value("x", 2)), (12, value("y", 2)), *fields))


RELU = (1, node("Relu", ["x"], ["y"]))


def lying_length(length):
    return model(message(RELU)) + varint(7 << 3 | 2) + varint(length)


def nested(numbers, depth):
    """depth messages, each the only field of the one around it."""
    heads, length = [], 0
    for i in range(depth):
        head = varint(numbers[i % len(numbers)] << 3 | 2) + varint(length)
        length += len(head)
        heads.append(head)
    return b"".join(reversed(heads))


def tensor(name, dims, *more):
    return message(*[(1, dim) for dim in dims], (2, 1), (8, name), *more)


def function(name, *calls):
    return (25, message((1, name), (4, "x"), (5, "y"), (9, message((2, 17))), (10, "f"),
                        *[(7, node(call, ["x"], ["y"], (7, "f"))) for call in calls]))


def calls(*functions):
    """A call of the first function of f0, f1, …, each given by what it calls."""
    return model(message((1, node("f0", ["x"], ["y"], (7, "f"))), (11, value("x", 2)), (12, value("y", 2))),
                 *[function("f%d" % i, *called) for i, called in enumerate(functions)])


def external(ranges, size):
    """Tensors of floats in a file beside the model, at (offset, length)."""
    entries = lambda offset, length: [(13, message((1, key), (2, text))) for key, text in (
        ("location", "w.bin"), ("offset", str(offset)), ("length", str(length)))]
    weights = [(5, tensor("w%d" % i, (length // 4,), *entries(offset, length), (14, 1)))
               for i, (offset, length) in enumerate(ranges)]
    return {"": network(RELU, *weights), "../w.bin": bytes(size)}


MODELS = {
    "onnx: length of 2^63": lambda: lying_length(1 << 63),
    "onnx: length of 2^64 - 1": lambda: lying_length((1 << 64) - 1),
    "onnx: length one too large": lambda: lying_length(1),
    "onnx: 10^6 messages in each other": lambda: model(nested([6, 5, 1], 999999)),
    "onnx: 10^6 types in each other": lambda: model(message((11, message((2, nested([1, 4], 1000000)))))),
    "onnx: 10^6 empty nodes": lambda: network(*[(1, b"")] * 1000000),
    "onnx: 10^6 empty inputs of a node": lambda: network((1, message(*[(1, b"")] * 1000000))),
    "onnx: 10^6 equal nodes": lambda: network(*[RELU] * 1000000),
    "onnx: a graph in 10^6 parts": lambda: model(message(RELU), *[(7, b"")] * 1000000),
    "onnx: 10^7 packed dimensions": lambda: network(RELU, (5, message((1, b"\1" * 10000000), (2, 1)))),
    "onnx: a name of 4 MB that is no text": lambda: model(message((2, b"\xff" * (4 << 20)))),
    "onnx: initialiser of 2^62 x 2^62": lambda: network(RELU, (5, tensor("w", (1 << 62, 1 << 62)))),
    "onnx: initialiser of 2^63": lambda: network(RELU, (5, tensor("w", (1 << 63,)))),
    "onnx: initialiser of 2^40 in 8 bytes": lambda: network(RELU, (5, tensor("w", (1 << 40,), (9, bytes(8))))),
    "onnx: input of 2^62 x 2^62": lambda: model(message(RELU, (11, value("x", 1 << 62, 1 << 62)), (12, value("y")))),
    "onnx: input of 2^63": lambda: model(message(RELU, (11, value("x", 1 << 63)), (12, value("y")))),
    "onnx: function that calls itself": lambda: calls(["f0"]),
    "onnx: functions in a circle": lambda: calls(*[["f%d" % ((i + 1) % 1000)] for i in range(1000)]),
    "onnx: 2^40 nodes by 40 functions": lambda: calls(*[["f%d" % (i + 1)] * 2 for i in range(40)], []),
    "onnx: 100000 functions in a row": lambda: calls(*[["f%d" % (i + 1)] for i in range(100000)], []),
    "onnx: 10000 weights share their bytes": lambda: external([(0, 1 << 20)] * 10000, 1 << 20),
    "onnx: weights overlap by half": lambda: external([(i * 8, 16) for i in range(10000)], 80008),
    "onnx: weights beyond the end of their file": lambda: external([(0, 1 << 40), ((1 << 64) - 4, 8)], 16),
}
