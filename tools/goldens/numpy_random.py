"""numpy_random.py — random numbers of the NumPy interface: shapes, types, means and variances of many numbers.

The means and variances are those of the distributions; MXNet's own numbers are checked against them here.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import math

from golden import mx, np
from numpy_case import Family, symbol_of

COUNT = 4000
EULER = 0.5772156649015329
ODDS = math.exp(-1)
# Operator, attributes, mean, variance, smallest and largest possible number.
DISTRIBUTIONS = [
    ("uniform", {"low": 1, "high": 3}, 2, 4 / 12, 1, 3),
    ("uniform_n", {"low": 1, "high": 3}, 2, 4 / 12, 1, 3),
    ("normal", {"loc": 1, "scale": 2}, 1, 4, -math.inf, math.inf),
    ("normal_n", {"loc": 1, "scale": 2}, 1, 4, -math.inf, math.inf),
    ("gamma", {"shape": 2, "scale": 3}, 6, 18, 0, math.inf),
    ("gumbel", {"loc": 1, "scale": 2}, 1 + 2 * EULER, math.pi ** 2 / 6 * 4, -math.inf, math.inf),
    ("logistic", {"loc": 1, "scale": 2}, 1, math.pi ** 2 / 3 * 4, -math.inf, math.inf),
    ("exponential", {"scale": 2}, 2, 4, 0, math.inf),
    ("rayleigh", {"scale": 2}, 2 * math.sqrt(math.pi / 2), (4 - math.pi) / 2 * 4, 0, math.inf),
    ("weibull", {"a": 2}, math.gamma(1.5), math.gamma(2) - math.gamma(1.5) ** 2, 0, math.inf),
    ("pareto", {"a": 5}, 1 / 4, 5 / (16 * 3), 0, math.inf),
    ("powerd", {"a": 3}, 3 / 4, 3 / (16 * 5), 0, 1),
    ("bernoulli", {"prob": 0.3, "logit": "None", "is_logit": "False"}, 0.3, 0.21, 0, 1),
    ("bernoulli", {"logit": -1.0, "prob": "None", "is_logit": "True"}, ODDS / (1 + ODDS), ODDS / (1 + ODDS) ** 2, 0, 1),
]


def statistics(shape, mean, variance, low, high):
    count = math.prod(shape)
    found = {"shape": list(shape), "dtype": "float32", "mean": mean, "mean_tol": 6 * math.sqrt(variance / count),
             "var": variance, "var_tol": 0.35 * variance}
    found.update({"min": low} if math.isfinite(low) else {})
    found.update({"max": high} if math.isfinite(high) else {})
    return {"out/0": found}


def main():
    family = Family("numpy_random")
    for name, attributes, mean, variance, low, high in DISTRIBUTIONS:
        op = f"_npi_{name}"
        wanted = statistics((40, COUNT // 40), mean, variance, low, high)
        first = next(iter(attributes))
        suffix = "_logit" if first == "logit" else ""
        family.add(op, f"numbers{suffix}", {}, options={"statistics": wanted, "infers": False}, size=f"(40, {COUNT // 40})", **attributes)
        tensor = np.full(100, attributes[first], "float32")
        rest = {key: "None" if key == first else value for key, value in attributes.items()}
        size = "(40,)" if name.endswith("_n") else f"(40, {COUNT // 40})"
        family.add(op, f"tensor{suffix}", {"input1": tensor}, options={"statistics": wanted, "infers": False}, size=size, **rest)
        with mx.util.np_shape(True):
            numbers = symbol_of(op, [], {"size": f"({COUNT},)", **attributes}).bind(mx.cpu(), {}).forward()[0].asnumpy()
        assert abs(numbers.mean() - mean) < 6 * math.sqrt(variance / COUNT), (op, numbers.mean(), mean)
    family.write()


if __name__ == "__main__":
    main()
