"""prove_models.py — small models of MXNet, written node by node, for the pairs of prove-pairs.py.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import random
import struct

SHAPE = (4, 8)


# --- Models ---

class Net:
    """A graph that is written node by node; a node is the list [index, output, 0]."""

    def __init__(self):
        self.nodes, self.arrays = [], {}

    def add(self, op, name, inputs, attributes):
        self.nodes.append({"op": op, "name": name, "attrs": {k: str(v) for k, v in attributes.items()}, "inputs": inputs})
        return [len(self.nodes) - 1, 0, 0]

    def var(self, name, *shape, **attributes):
        if shape:
            attributes["__shape__"] = shape
        return self.add("null", name, [], attributes)

    def param(self, name, shape, values=None, aux=False):
        count = 1
        for size in shape:
            count *= size
        numbers = random.Random(name)
        self.arrays[("aux:" if aux else "arg:") + name] = (shape, values or [numbers.uniform(-0.5, 0.5) for _ in range(count)])
        return self.var(name, *shape)

    def call(self, op, *inputs, **attributes):
        return self.add(op, f"n{len(self.nodes)}", list(inputs), attributes)

    def write(self, path, heads):
        variables = [i for i, node in enumerate(self.nodes) if node["op"] == "null"]
        with open(f"{path}-symbol.json", "w") as file:
            json.dump({"nodes": self.nodes, "arg_nodes": variables, "node_row_ptr": list(range(len(self.nodes) + 1)),
                       "heads": heads, "attrs": {"mxnet_version": ["int", 10901]}}, file)
        if not self.arrays:
            return
        with open(f"{path}-0000.params", "wb") as file:
            file.write(struct.pack("<QQQ", 0x112, 0, len(self.arrays)))
            for shape, values in self.arrays.values():
                file.write(struct.pack("<Iii", 0xF993FAC9, 0, len(shape)) + struct.pack(f"<{len(shape)}q", *shape))
                file.write(struct.pack("<iii", 1, 0, 0) + struct.pack(f"<{len(values)}f", *values))
            file.write(struct.pack("<Q", len(self.arrays)))
            for name in self.arrays:
                file.write(struct.pack("<Q", len(name)) + name.encode())


def out(node, index):
    return [node[0], index, 0]


def unary(op, **attributes):
    """A model of one operator on x."""
    return lambda net: [net.call(op, net.var("x", *SHAPE), **attributes)]


def nothing(net):
    """A model without outputs."""
    net.var("x", *SHAPE)
    return []


def same(net):
    return [net.call("_copy", net.var("x", *SHAPE))]


def chain(*calls):
    """Operators one after the other; each is a name, or a name and attributes."""
    def make(net):
        value = net.var("x", *SHAPE)
        for call in calls:
            value = net.call(call, value) if isinstance(call, str) else net.call(call[0], value, **call[1])
        return [value]
    return make


def two(op, order=(0, 1), **attributes):
    def make(net):
        values = [net.var("x", *SHAPE), net.var("y", *SHAPE)]
        return [net.call(op, values[order[0]], values[order[1]], **attributes)]
    return make


def table(rows, changed=None, op="Embedding"):
    def make(net):
        index = net.var("data", 3, 5)
        values = [((i * 37) % 101) / 101 for i in range(rows * 4)]
        if changed is not None:
            values[changed * 4] += 1
        weight = net.param("table_weight", (rows, 4), values)
        if op == "take":
            return [net.call("take", weight, index)]
        return [net.call("Embedding", index, weight, input_dim=rows, output_dim=4)]
    return make


def encoded(rows, changed=None):
    """An embedding as a product with rows of an identity matrix."""
    def make(net):
        values = [((i * 37) % 101) / 101 for i in range(rows * 4)]
        if changed is not None:
            values[changed * 4] += 1
        code = net.call("one_hot", net.var("data", 3, 5), depth=rows)
        return [net.call("dot", code, net.param("table_weight", (rows, 4), values))]
    return make


def limited(rows):
    """The rows behind a number are read from the beginning."""
    def make(net):
        values = [((i * 37) % 101) / 101 for i in range(400 * 4)]
        index = net.call("_mod_scalar", net.var("data", 3, 5), scalar=rows)
        return [net.call("Embedding", index, net.param("table_weight", (400, 4), values), input_dim=400, output_dim=4)]
    return make


def column(changed=None):
    def make(net):
        values = [i / 100 for i in range(4 * 250)]
        if changed is not None:
            values[changed] += 1
        return [net.call("take", net.param("table_weight", (4, 250), values), net.var("data", 2), axis=1)]
    return make


def branch(threshold, factor):
    """x times a factor if its sum is above a threshold, else x."""
    def graph(op, **attributes):
        return {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": op, "name": "y" + op, "attrs": attributes, "inputs": [[0, 0, 0]]}],
                "arg_nodes": [0], "node_row_ptr": [0, 1, 2], "heads": [[1, 0, 0]]}

    condition = graph("sum")
    condition["nodes"].append({"op": "_greater_scalar", "name": "c", "attrs": {"scalar": str(threshold)}, "inputs": [[1, 0, 0]]})
    condition.update(node_row_ptr=[0, 1, 2, 3], heads=[[2, 0, 0]])

    def make(net):
        node = net.call("_cond", net.var("x", 3), num_args=4, num_outputs=1, cond_input_locs=[0], then_input_locs=[0], else_input_locs=[0])
        net.nodes[node[0]]["subgraphs"] = [condition, graph("_mul_scalar", scalar=str(factor)), graph("_copy")]
        return [node]
    return make


def summed(limit):
    """Sums that are limited from above, in a loop."""
    body = {"nodes": [{"op": "null", "name": "d", "inputs": []}, {"op": "null", "name": "s", "inputs": []},
                      {"op": "elemwise_add", "name": "a", "inputs": [[0, 0, 0], [1, 0, 0]]},
                      {"op": "clip", "name": "limited", "attrs": {"a_min": "-1e29", "a_max": str(limit)}, "inputs": [[2, 0, 0]]}],
            "arg_nodes": [0, 1], "node_row_ptr": [0, 1, 2, 3, 4], "heads": [[3, 0, 0], [3, 0, 0]]}

    def make(net):
        node = net.call("_foreach", net.var("x", 4, 3), net.var("s", 3), num_args=3, num_outputs=2, num_out_data=1,
                        in_data_locs=[0], in_state_locs=[1], remain_locs=[])
        net.nodes[node[0]]["subgraphs"] = [body]
        return [node, out(node, 1)]
    return make


def norm(gamma=1.0, **attributes):
    def make(net):
        inputs = [net.var("x", *SHAPE), net.param("gamma", (8,), [gamma] * 8), net.param("beta", (8,), [0.1] * 8),
                  net.param("moving_mean", (8,), [0.5] * 8, True), net.param("moving_var", (8,), [4.0] * 8, True)]
        return [net.call("BatchNorm", *inputs, **attributes)]
    return make


def dense(change=0.0, bias=True, units=3, form="FullyConnected"):
    def make(net):
        x = net.var("x", *SHAPE)
        numbers = random.Random("w")
        values = [numbers.uniform(-1, 1) for _ in range(units * 8)]
        values[5] += change
        weight = net.param("w", (units, 8), values)
        if form == "dot":
            product = net.call("dot", x, weight, transpose_b=True)
            return [net.call("broadcast_add", product, net.param("b", (units,)))]
        if not bias:
            return [net.call("FullyConnected", x, weight, num_hidden=units, no_bias=True)]
        return [net.call("FullyConnected", x, weight, net.param("b", (units,)), num_hidden=units)]
    return make


def sequence(op, **attributes):
    def make(net):
        x = net.var("x", 6, 3, 2)
        inputs = [x, net.var("lengths", 3)] if attributes.get("use_sequence_length") else [x]
        value = net.call(op, *inputs, **attributes)
        if not attributes.get("use_sequence_length"):
            # The same variables in both models.
            value = net.call("broadcast_add", value, net.call("_mul_scalar", net.call("sum", net.var("lengths", 3)), scalar=0))
        return [value]
    return make


def lstm(**attributes):
    def make(net):
        h = 4
        inputs = [net.var("x", 5, 2, 3), net.param("rnn_parameters", (4 * h * (3 + h) + 8 * h,)), net.var("h", 1, 2, h),
                  net.var("c", 1, 2, h)]
        if attributes.get("use_sequence_length"):
            inputs.append(net.var("lengths", 2))
        value = net.call("RNN", *inputs, mode="lstm", state_size=h, num_layers=1, state_outputs=True, **attributes)
        heads = [value, out(value, 2)]
        if not attributes.get("use_sequence_length"):
            zero = net.call("_mul_scalar", net.call("sum", net.var("lengths", 2)), scalar=0)
            heads[0] = net.call("broadcast_add", heads[0], net.call("Reshape", zero, shape=(1, 1, 1)))
        return heads
    return make


def where(threshold, other):
    def make(net):
        x = net.var("x", *SHAPE)
        mask = net.call("_greater_scalar", x, scalar=threshold)
        return [net.call("where", mask, net.call("_mul_scalar", x, scalar=other), x)]
    return make


def integers(op, shape=(40,), dtype=4, **attributes):
    return lambda net: [net.call(op, net.var("i", *shape, __dtype__=dtype), **attributes)]


def loose(*calls):
    """The same as chain(), of which the file gives no shape."""
    def make(net):
        value = net.var("x")
        for call in calls:
            value = net.call(call[0], value, **call[1])
        return [value]
    return make


def large(sign):
    def make(net):
        x = net.var("x", *SHAPE)
        return [net.call("Concat", net.call("_mul_scalar", x, scalar=sign), net.call("_mul_scalar", x, scalar=1e6), num_args=2, dim=0)]
    return make


def image(op, with_weights=False, **attributes):
    def make(net):
        inputs = [net.var("x", 2, 3, 7, 7)]
        if with_weights:
            inputs += [net.param("w", (2, 3, 3, 3)), net.param("b", (2,))]
        return [net.call(op, *inputs, **attributes)]
    return make


def volume(op, **attributes):
    return lambda net: [net.call(op, net.var("x", 2, 3, 4), **attributes)]


def cube(op, **attributes):
    return lambda net: [net.call(op, net.var("x", 3, 3, 3), **attributes)]


def loss(**attributes):
    return lambda net: [net.call("SoftmaxOutput", net.var("x", *SHAPE), net.var("label", 4), **attributes)]


def loop(max_iterations, limit):
    """Doubles a state while its sum is below a limit, at most max_iterations times."""
    condition = {"nodes": [{"op": "null", "name": "s", "inputs": []},
                           {"op": "sum", "name": "total", "attrs": {"axis": "()"}, "inputs": [[0, 0, 0]]},
                           {"op": "_lesser_scalar", "name": "less", "attrs": {"scalar": str(limit)}, "inputs": [[1, 0, 0]]}],
                 "arg_nodes": [0], "node_row_ptr": [0, 1, 2, 3], "heads": [[2, 0, 0]]}
    body = {"nodes": [{"op": "null", "name": "s", "inputs": []},
                      {"op": "_mul_scalar", "name": "twice", "attrs": {"scalar": "2"}, "inputs": [[0, 0, 0]]}],
            "arg_nodes": [0], "node_row_ptr": [0, 1, 2], "heads": [[1, 0, 0]]}

    def make(net):
        node = net.call("_while_loop", net.var("x", 3), num_args=3, num_outputs=1, num_out_data=0, max_iterations=max_iterations,
                        cond_input_locs=[0], func_input_locs=[0], func_var_locs=[0])
        net.nodes[node[0]]["subgraphs"] = [condition, body]
        return [node]
    return make


X = ("--shape", "x=5,2")
TRAIN = ("--train",)
