"""run-gluon.py — opens an export and runs it on one array, with MXNet."""
import mxnet as mx
import numpy

net = mx.gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
inputs = mx.nd.array(numpy.load("in.npz")["data"])
outputs = net(inputs)
print(f"{outputs.asnumpy().flat[0]:.4f}")
