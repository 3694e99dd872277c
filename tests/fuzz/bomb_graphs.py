# bomb_graphs.py - small symbol files that describe huge work: counts, depths, shapes, cycles.
#
# Each maker returns the text of one file.  The table GRAPHS at the end names them all.
# SPDX-License-Identifier: LGPL-2.1-or-later
import json

HUGE = 10 ** 12


def variable(name, **attributes):
    node = {"op": "null", "name": name, "inputs": []}
    if attributes:
        node["attrs"] = {key: str(value) for key, value in attributes.items()}
    return node


def operator(kind, inputs, **attributes):
    node = {"op": kind, "name": "node_" + kind.lower(), "inputs": [[i, 0, 0] for i in inputs]}
    node["attrs"] = {key: str(value) for key, value in attributes.items()}
    return node


def graph(nodes, heads=None):
    variables = [i for i, node in enumerate(nodes) if node["op"] == "null"]
    return {"nodes": nodes, "arg_nodes": variables, "heads": heads or [[len(nodes) - 1, 0, 0]]}


def text(nodes, heads=None):
    return json.dumps(graph(nodes, heads))


def chain(count, kind="relu", shape="(1, 4)"):
    nodes = [variable("data", __shape__=shape)]
    for i in range(count):
        nodes.append({"op": kind, "name": "n%d" % i, "inputs": [[i, 0, 0]]})
    return text(nodes)


def doubling(count):
    """Each node adds the last one to itself: 2 to the power of count paths."""
    nodes = [variable("data", __shape__="(1, 4)")]
    for i in range(count):
        nodes.append({"op": "elemwise_add", "name": "n%d" % i, "inputs": [[i, 0, 0], [i, 0, 0]]})
    return text(nodes)


def dense_edges(count):
    """Each node reads all nodes before it."""
    nodes = [variable("data", __shape__="(1, 4)")]
    for i in range(1, count):
        nodes.append({"op": "add_n", "name": "n%d" % i, "inputs": [[j, 0, 0] for j in range(i)],
                      "attrs": {"num_args": str(i)}})
    return text(nodes)


def one(kind, shape="(2, 3)", **attributes):
    """One operator that reads one variable."""
    return text([variable("data", __shape__=shape), operator(kind, [0], **attributes)])


def source(kind, **attributes):
    """One operator without inputs, summed so that the output is small."""
    return text([operator(kind, [], **attributes), operator("sum", [0])])


def several(kind, count, **attributes):
    nodes = [variable("v%d" % i, __shape__="(2, 3)") for i in range(count)]
    return text(nodes + [operator(kind, range(count), **attributes)])


def broadcast_up():
    return text([variable("a", __shape__="(1000000, 1)"), variable("b", __shape__="(1, 1000000)"),
                 operator("broadcast_add", [0, 1])])


def tiles(count):
    """Each node doubles every axis."""
    nodes = [variable("data", __shape__="(2, 2, 2, 2)")]
    for i in range(count):
        nodes.append({"op": "tile", "name": "n%d" % i, "inputs": [[i, 0, 0]],
                      "attrs": {"reps": "(2, 2, 2, 2)"}})
    return text(nodes)


def heads(count):
    return text([variable("data", __shape__="(1, 4)"), operator("relu", [0])], [[1, 0, 0]] * count)


def cycle():
    nodes = [variable("data"), operator("relu", [2]), operator("relu", [1])]
    return text(nodes)


def edge_far_away():
    return text([variable("data"), {"op": "relu", "name": "n", "inputs": [[4294967295, 4294967295, 0]]}])


def nested_subgraphs(depth, copies=1):
    """_foreach in _foreach; each body is given `copies` times, so work may grow with its power."""
    body = graph([variable("d"), variable("s"), operator("elemwise_add", [0, 1])], [[2, 0, 0], [2, 0, 0]])
    for _ in range(depth):
        loop = operator("_foreach", [0, 1], num_args=3, num_outputs=2, num_out_data=1,
                        in_state_locs="(1,)", in_data_locs="(0,)", remain_locs="()")
        loop["subgraphs"] = [body]
        nodes = [variable("d"), variable("s")]
        for i in range(copies):
            nodes.append(dict(loop, name="loop%d" % i))
        body = graph(nodes, [[1 + copies, 0, 0], [1 + copies, 1, 0]])
    body["nodes"][0]["attrs"] = {"__shape__": str((1,) * (depth + 1))}
    body["nodes"][1]["attrs"] = {"__shape__": "(1,)"}
    return json.dumps(body)


def endless_loop(iterations):
    """A while_loop that never becomes false."""
    condition = graph([variable("i"), operator("_lesser_scalar", [0], scalar=iterations)])
    body = graph([variable("i"), operator("_mul_scalar", [0], scalar=1)], [[1, 0, 0], [1, 0, 0]])
    loop = operator("_while_loop", [0], num_args=3, num_outputs=2, num_out_data=1,
                    max_iterations=iterations, cond_input_locs="(0,)", func_input_locs="(0,)",
                    func_var_locs="(0,)")
    loop["subgraphs"] = [condition, body]
    return text([variable("i", __shape__="(1,)"), loop], [[1, 1, 0]])


def deep_json(depth):
    return '{"nodes":' + "[" * depth + "]" * depth + "}"


def many_values(count):
    return '{"nodes":[],"arg_nodes":[' + "0," * count + '0],"heads":[]}'


def long_attribute(size):
    return text([variable("data"), operator("relu", [0], note="x" * size)])


def many_attributes(count):
    return text([variable("data"), dict(operator("relu", [0]), attrs={"k%d" % i: "v" for i in range(count)})])


def rnn(**attributes):
    nodes = [variable("data", __shape__="(5, 1, 4)"), variable("parameters"), variable("state"), variable("cell")]
    return text(nodes + [operator("RNN", range(4), mode="lstm", **attributes)])


def same_names(count):
    nodes = [variable("data", __shape__="(1,)")]
    for i in range(count):
        nodes.append({"op": "relu", "name": "same", "inputs": [[i, 0, 0]]})
    return text(nodes)


def steps(count):
    """Names like those of an unrolled cell, so that the picture folds them."""
    nodes = [variable("data", __shape__="(1, 4)")]
    for i in range(count):
        nodes.append({"op": "relu", "name": "a_b_c_t%d_x%d" % (i, i % 7), "inputs": [[i, 0, 0]]})
    return text(nodes)


def wide(count):
    nodes = [variable("data", __shape__="(1, 4)")]
    nodes += [{"op": "relu", "name": "n%d" % i, "inputs": [[0, 0, 0]]} for i in range(count)]
    nodes.append({"op": "add_n", "name": "sum", "inputs": [[i + 1, 0, 0] for i in range(count)],
                  "attrs": {"num_args": str(count)}})
    return text(nodes)


def ladder(count):
    """Two layers of nodes, each of which reads all of the layer before: count times count edges."""
    nodes = [variable("data", __shape__="(1, 4)")]
    nodes += [{"op": "relu", "name": "u%d" % i, "inputs": [[0, 0, 0]]} for i in range(count)]
    for i in range(count):
        nodes.append({"op": "add_n", "name": "v%d" % i, "inputs": [[j + 1, 0, 0] for j in range(count)],
                      "attrs": {"num_args": str(count)}})
    return text(nodes, [[count + 1 + i, 0, 0] for i in range(count)])


GRAPHS = {
    "chain of 20000 nodes": lambda: chain(20000),
    "chain of 100000 nodes": lambda: chain(100000),
    "2^64 paths": lambda: doubling(64),
    "2^2000 paths": lambda: doubling(2000),
    "500 nodes that read all before": lambda: dense_edges(500),
    "two layers of 400, all edges": lambda: ladder(400),
    "5000 nodes side by side": lambda: wide(5000),
    "names of 20000 steps": lambda: steps(20000),
    "20000 equal names": lambda: same_names(20000),
    "100000 heads": lambda: heads(100000),
    "cycle of two nodes": cycle,
    "edge to node 2^32-1": edge_far_away,
    "loops nested 14 deep": lambda: nested_subgraphs(14),
    "loops nested 31 deep": lambda: nested_subgraphs(31),
    "2 loops in each of 5 levels": lambda: nested_subgraphs(5, 2),
    "loops nested 200 deep": lambda: nested_subgraphs(200),
    "while_loop of 2e8 steps": lambda: endless_loop(200000000),
    "while_loop of 2^31-1 steps": lambda: endless_loop(2147483647),
    "100000 open brackets": lambda: deep_json(100000),
    "2 million JSON values": lambda: many_values(2000000),
    "attribute of 8 MB": lambda: long_attribute(8 << 20),
    "100000 attributes": lambda: many_attributes(100000),
    "shape (2^40,)": lambda: one("relu", shape="(%d,)" % (1 << 40)),
    "shape product over 2^64": lambda: one("relu", shape="(4294967296, 4294967296, 3)"),
    "shape of 10000 axes": lambda: one("relu", shape=str((1,) * 10000)),
    "shape with zeros": lambda: one("relu", shape="(0, 0, 0)"),
    "negative shape": lambda: one("relu", shape="(-5, -2)"),
    "Concat num_args=1e9": lambda: several("Concat", 2, num_args=10 ** 9, dim=1),
    "add_n num_args=1e9": lambda: several("add_n", 2, num_args=10 ** 9),
    "SliceChannel num_outputs=1e9": lambda: one("SliceChannel", num_outputs=10 ** 9, axis=1),
    "SliceChannel of 2^30 columns": lambda: one("SliceChannel", shape="(1, %d)" % 2 ** 30,
                                                num_outputs=2 ** 30, axis=1),
    "split_v2 sections=1e9": lambda: one("_split_v2", shape="(%d,)" % 10 ** 9, sections=10 ** 9, indices="()"),
    "box_nms topk=1e9": lambda: several("_contrib_box_nms", 1, topk=10 ** 9),
    "repeat 1e12": lambda: one("repeat", repeats=HUGE),
    "tile 1e12": lambda: one("tile", reps="(%d, 4)" % HUGE),
    "tile doubling 16 times": lambda: tiles(16),
    "arange 1e12": lambda: source("_arange", start=0, stop=HUGE, step=1),
    "arange step 1e-300": lambda: source("_arange", start=0, stop=1, step=1e-300),
    "arange of 1e8": lambda: source("_arange", start=0, stop=10 ** 8, step=1),
    "linspace num=1e12": lambda: source("_linspace", start=0, stop=1, num=HUGE),
    "zeros 1e12": lambda: source("_zeros", shape="(1000000, 1000000)"),
    "zeros of 4 GB": lambda: source("_zeros", shape="(1000, 1000000)"),
    "ones 2^62": lambda: source("_ones", shape="(%d,)" % 2 ** 62),
    "eye 1e6": lambda: source("_eye", N=1000000, M=1000000),
    "random_uniform 1e12": lambda: source("_random_uniform", shape="(%d,)" % HUGE),
    "one_hot depth 1e12": lambda: one("one_hot", depth=HUGE),
    "one_hot depth 1e9": lambda: one("one_hot", depth=10 ** 9),
    "Embedding 1e9 by 1e9": lambda: several("Embedding", 2, input_dim=10 ** 9, output_dim=10 ** 9),
    "RNN state_size 2^31-1": lambda: rnn(state_size=2147483647, num_layers=1),
    "RNN num_layers 2^31-1": lambda: rnn(state_size=4, num_layers=2147483647),
    "RNN num_layers 1e6": lambda: rnn(state_size=1, num_layers=1000000),
    "Pad 1e9": lambda: one("Pad", shape="(1, 1, 2, 2)", mode="constant",
                           pad_width="(0,0,0,0,%d,0,0,%d)" % (10 ** 9, 10 ** 9)),
    "UpSampling scale 1e6": lambda: one("UpSampling", shape="(1, 1, 2, 2)", scale=1000000,
                                        sample_type="nearest", num_args=1),
    "FullyConnected 2^31-1": lambda: several("FullyConnected", 2, num_hidden=2147483647, no_bias=True),
    "Convolution kernel 1e6": lambda: text([variable("data", __shape__="(1, 1, 4, 4)"), variable("w"),
                                            operator("Convolution", [0, 1], kernel="(1000000, 1000000)",
                                                     pad="(1000000, 1000000)", num_filter=1, no_bias=True)]),
    "Convolution 2^31-1 filters": lambda: text([variable("data", __shape__="(1, 1, 4, 4)"), variable("w"),
                                                operator("Convolution", [0, 1], kernel="(1, 1)",
                                                         num_filter=2147483647, no_bias=True)]),
    "Pooling pad 2^30": lambda: one("Pooling", shape="(1, 1, 4, 4)", kernel="(%d, 2)" % 2 ** 30,
                                    pad="(%d, 0)" % 2 ** 29, pool_type="avg"),
    "broadcast_add to 1e12": broadcast_up,
    "broadcast_to 1e12": lambda: one("broadcast_to", shape="(1, 1)", **{"shape_": 1}).replace(
        '"shape_": "1"', '"shape": "(1000000, 1000000)"'),
    "broadcast_axis 1e12": lambda: one("broadcast_axis", shape="(1, 1)", axis="(0, 1)", size="(1000000, 1000000)"),
    "Reshape of codes": lambda: text([variable("data", __shape__="(2, 3)"),
                                      operator("Reshape", [0], shape=str((-4,) * 5000))]),
    "Reshape to 2^63": lambda: text([variable("data", __shape__="(2, 3)"),
                                     operator("Reshape", [0], shape="(%d, -1, 0)" % 2 ** 62)]),
    "BilinearResize 1e6": lambda: one("_contrib_BilinearResize2D", shape="(1, 1, 2, 2)",
                                      height=1000000, width=1000000),
    "topk k=2^31-1": lambda: one("topk", k=2147483647, ret_typ="both"),
    "MultiBoxPrior of 1e5 by 1e5": lambda: one("_contrib_MultiBoxPrior", shape="(1, 1, 100000, 100000)",
                                               sizes=str((0.5,) * 100), ratios=str((1.0,) * 100)),
    "im2col huge": lambda: one("im2col", shape="(1, 64, 3000, 3000)", kernel="(11, 11)", pad="(5, 5)"),
    "outer product by batch_dot": lambda: text([variable("a", __shape__="(1, 1000000, 1)"),
                                                variable("b", __shape__="(1, 1, 1000000)"),
                                                operator("batch_dot", [0, 1])]),
}
