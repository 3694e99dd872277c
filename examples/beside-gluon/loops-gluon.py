"""loops-gluon.py — a loop over rows, a loop with a condition and a branch in one model: computed, traced, exported, opened again, with MXNet."""
import mxnet as mx


class Loops(mx.gluon.HybridBlock):
    """The last running sum of the rows, doubled until it is at least 100, and halved if that is above 150."""

    def hybrid_forward(self, F, data):
        def add_row(row, total):
            return total + row, total + row

        _, total = F.contrib.foreach(add_row, data, F.zeros((1,)))
        _, (large,) = F.contrib.while_loop(lambda x: x < 100, lambda x: (x, [x * 2]), [total], max_iterations=10)
        return F.contrib.cond(large > 150, lambda: large / 2, lambda: large * 1)


net = Loops()
net.initialize()
rows = mx.nd.array([[1], [2], [4], [3]])
computed = net(rows)
net.hybridize()
traced = net(rows)
net.export("loops")
again = mx.gluon.SymbolBlock.imports("loops-symbol.json", ["data"])(rows)
print(f"{computed.asscalar():g} {traced.asscalar():g} {again.asscalar():g}")
