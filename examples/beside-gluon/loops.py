"""loops.py — a loop over rows, a loop with a condition and a branch in one model: traced, written, opened again."""
import numpy

import hybridscope


def forward(F, data):
    """The last running sum of the rows, doubled until it is at least 100, and halved if that is above 150."""
    def add_row(row, total):
        return total + row, total + row

    _, total = F.foreach(add_row, data, F.zeros((1,)))
    _, (large,) = F.while_loop(lambda x: x < 100, lambda x: (x, [x * 2]), [total], max_iterations=10)
    return F.cond(large > 150, lambda: large / 2, lambda: large * 1)


net = hybridscope.trace(forward, "loops")
rows = numpy.array([[1], [2], [4], [3]], "float32")
computed, = net.run({"data": rows}, mode="imperative").values()
traced, = net.run({"data": rows}).values()
again, = hybridscope.open("loops-symbol.json").run({"data": rows}).values()
print(f"{computed[0]:g} {traced[0]:g} {again[0]:g}")
