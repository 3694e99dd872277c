"""custom.py — an operator of one's own, x / (1 + exp (−beta x)): its gradient checked, used in a model.

Operators are written in C: swish.so is a plug-in made of resources/operators/swish.c.
"""
import numpy

import hybridscope

x = numpy.array([-1, 0.5, 2], "float32")
hybridscope.load_operators("swish.so")
hybridscope.check_gradient("swish", x, beta=1.5)
net = hybridscope.trace(lambda F, data: F.swish(data, beta=1.5), "swish")
y, = net.run({"data": x}).values()
print(f"the gradient is right; {y[0]:.4f} {y[1]:.4f} {y[2]:.4f}")
