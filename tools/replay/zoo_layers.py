"""zoo_layers.py — divides a graph behind its last layers that have weights, to tell rounding from other differences.

What follows the last layers of a detector (decoding boxes, clipping them) often cannot run in float64, and magnifies differences. Both
halves are compared by themselves: the layers with MXNet's float64, the rest with equal inputs.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json

import mxnet as mx

WEIGHTED = ("Convolution", "FullyConnected", "Deconvolution", "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution")


def last_layers(symbol):
    """The nodes with weights from which no path leads to another one, as numbers of the nodes in tojson()."""
    nodes = json.loads(symbol.tojson())["nodes"]
    is_followed = [False] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        if nodes[number]["op"] in WEIGHTED or is_followed[number]:
            for source in nodes[number]["inputs"]:
                is_followed[source[0]] = True
    return [number for number, node in enumerate(nodes) if node["op"] in WEIGHTED and not is_followed[number]]


def reachable(document):
    """The same graph without nodes that no head needs."""
    needed, todo = set(), [head[0] for head in document["heads"]]
    while todo:
        number = todo.pop()
        if number not in needed:
            needed.add(number)
            todo += [source[0] for source in document["nodes"][number]["inputs"]]
    new = {old: number for number, old in enumerate(sorted(needed))}
    nodes = [{**document["nodes"][old], "inputs": [[new[source[0]], *source[1:]] for source in document["nodes"][old]["inputs"]]}
             for old in sorted(needed)]
    return mx.sym.load_json(json.dumps({
        "nodes": nodes, "arg_nodes": [number for number, node in enumerate(nodes) if node["op"] == "null"],
        "heads": [[new[head[0]], *head[1:]] for head in document["heads"]], "attrs": document.get("attrs", {})}))


def divide(symbol):
    """(the last layers, the rest with variables cut0, cut1 … in their place)."""
    layers = last_layers(symbol)
    front, back = json.loads(symbol.tojson()), json.loads(symbol.tojson())
    front["heads"] = [[number, 0, 0] for number in layers]
    for index, number in enumerate(layers):
        back["nodes"][number] = {"op": "null", "name": f"cut{index}", "inputs": []}
    return reachable(front), reachable(back)


def for_float64(symbol):
    """The same graph with batch normalisation that MXNet has in float64, too."""
    document = json.loads(symbol.tojson())
    for node in document["nodes"]:
        if node["op"] == "_contrib_SyncBatchNorm":
            node["op"] = "BatchNorm"
            node["attrs"] = {key: value for key, value in node["attrs"].items() if key in ("eps", "fix_gamma", "use_global_stats", "momentum")}
    return mx.sym.load_json(json.dumps(document))
