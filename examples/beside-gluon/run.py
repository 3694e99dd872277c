"""run.py — opens an export and runs it on one array."""
import numpy

import hybridscope

net = hybridscope.open("net-symbol.json")
outputs = net.run(numpy.load("in.npz"))
print(f"{next(iter(outputs.values())).flat[0]:.4f}")
