"""Models of MXNet and ONNX: what is in them, what is wrong with them, what they compute and what it costs.

    import hybridscope

    net = hybridscope.open("net-symbol.json")
    net                                             # in a notebook: the graph
    net.info()["operators"]
    net.check()["summary"]
    net.run({"data0": x})                           # arrays by name, in and out
    net.profile(capture="net.hscope")["clean"]["median"]

Arrays are computed in this process by the C library. Everything else is what the program `hscope` prints with --json: it runs in a
process of its own, so that a damaged file or a measurement cannot harm the notebook.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from ._error import Error
from ._model import Model, new, open
from ._trace import F, check_gradient, load_operators, trace

__all__ = ["Error", "F", "Model", "check_gradient", "load_operators", "new", "open", "trace"]
