"""misc.py — goldens of operators of MXNet's legacy interface that belong to no other group: running sums, histograms, assignments
to slices, straight-through estimators, densities, likelihoods.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for

contrib, internal = mx.sym.contrib, mx.sym._internal


def variable(name):
    return mx.sym.Variable(name)


def uniform(*names, low=-1.0, high=1.0, shape=(2, 3), dtype="float32"):
    return random_for(*names).uniform(low, high, shape).astype(dtype)


def cumsum():
    cases = Cases("cumsum")
    for name, shape, dtype, attributes in (
            ("flattened", (2, 3), "float32", {}), ("first", (3, 2, 2), "float32", {"axis": 0}),
            ("middle", (2, 3, 2), "float32", {"axis": 1}), ("last-double", (2, 5), "float64", {"axis": 1}),
            ("one", (1,), "float32", {"axis": 0}), ("half", (3, 2), "float16", {"axis": 0}),
            ("wider", (3, 2), "float32", {"axis": 0, "dtype": "float64"})):
        data = uniform("cumsum", name, shape=shape, dtype=dtype)
        cases.add(name, mx.sym.cumsum(variable("a"), name="op", **attributes), {"a": data})
    for dtype in ("int8", "uint8", "int32", "int64"):
        data = random_for("cumsum", dtype).randint(0, 120, (4, 3)).astype(dtype)
        cases.add(dtype, mx.sym.cumsum(variable("a"), name="op", axis=0), {"a": data}, note="integers wrap", backward=False)
    data = np.array([[3.5, 400.0], [-1.6, 2.9]], "float32")
    cases.add("truncated", mx.sym.cumsum(variable("a"), name="op", axis=1, dtype="int8"), {"a": data}, backward=False)
    cases.add("empty", mx.sym.cumsum(variable("a"), name="op", axis=0), {"a": np.zeros((0, 3), "float32")}, backward=False, numpy=True)
    cases.add("scalar", mx.sym.cumsum(variable("a"), name="op"), {"a": np.float32(2.5)}, backward=False, numpy=True)
    cases.write()


def slice_assign():
    cases = Cases("_slice_assign")
    for name, shape, part, dtype, attributes in (
            ("box", (3, 4), (2, 2), "float32", {"begin": (0, 1), "end": (2, 3)}),
            ("steps", (3, 4), (2, 2), "float32", {"begin": (None, 3), "end": (None, None), "step": (2, -2)}),
            ("integers", (4, 2), (2, 2), "int8", {"begin": (1,), "end": (3,)}),
            ("half", (5,), (3,), "float16", {"begin": (None,), "end": (None,), "step": (-2,)})):
        inputs = {"lhs": uniform("assign", name, shape=shape, high=9, dtype=dtype),
                  "rhs": uniform("assign", name, "rhs", shape=part, high=9, dtype=dtype)}
        cases.add(name, internal._slice_assign(variable("lhs"), variable("rhs"), name="op", **attributes), inputs, backward=False)
    cases.write()
    cases = Cases("_slice_assign_scalar")
    for name, dtype, attributes in (
            ("box", "float32", {"begin": (0, 1), "end": (2, 3), "scalar": 2.5}),
            ("truncated", "int32", {"begin": (-1,), "end": (None,), "scalar": 7.5}),
            ("default", "float64", {"begin": (0,), "end": (1,)}),
            ("nothing", "float32", {"begin": (2,), "end": (2,), "scalar": 7.5})):
        cases.add(name, internal._slice_assign_scalar(variable("data"), name="op", **attributes),
                  {"data": uniform("assign", name, shape=(3, 4), high=9, dtype=dtype)}, backward=False)
    cases.write()


def histogram():
    cases = Cases("_histogram")
    for name, dtype, count, ends in (("even", "float32", 5, (-1, 1)), ("double", "float64", 7, (-0.7, 0.9)),
                                     ("integers", "int32", 3, (0, 10)), ("long", "int64", 4, (-3, 8)),
                                     ("widened", "float32", 5, (0, 0))):
        data = uniform("histogram", name, shape=(5, 7), dtype="float64")
        data = (data * 12).astype(dtype) if "int" in dtype else data.astype(dtype)
        cases.add(name, internal._histogram(variable("data"), bin_cnt=count, range=ends, name="op"), {"data": data}, backward=False)
    ties = np.array([0, 1, 2, 2.5, -1, np.nan, np.inf], "float32")
    cases.add("ties", internal._histogram(variable("data"), bin_cnt=2, range=(0, 2), name="op"), {"data": ties}, backward=False)
    cases.add("edges", internal._histogram(variable("data"), variable("bins"), name="op"),
              {"data": ties, "bins": np.array([0, 0.5, 2], "float32")}, backward=False)
    cases.add("edges-integers", internal._histogram(variable("data"), variable("bins"), name="op"),
              {"data": np.arange(-3, 9, dtype="int32"), "bins": np.array([-1, 0, 4, 7], "int32")}, backward=False)
    cases.write()


def simple():
    cases = Cases("khatri_rao")
    for name, rows, dtype in (("two", (2, 3), "float32"), ("three", (2, 1, 4), "float64"), ("one", (3,), "float32")):
        inputs = {f"m{i}": uniform("khatri_rao", name, str(i), shape=(n, 3), dtype=dtype) for i, n in enumerate(rows)}
        cases.add(name, mx.sym.khatri_rao(*[variable(key) for key in inputs], name="op"), inputs, backward=False)
    cases.write()

    cases = Cases("_contrib_index_array")
    for name, shape, attributes in (("all", (2, 3), {}), ("some", (2, 3, 2), {"axes": (1, 0, -1)}), ("one", (1,), {"axes": (0,)})):
        cases.add(name, contrib.index_array(variable("data"), name="op", **attributes),
                  {"data": uniform("index_array", name, shape=shape)}, backward=False)
    cases.write()

    cases = Cases("_contrib_gradientmultiplier")
    for dtype in ("float32", "float64", "float16", "int32"):
        cases.add(dtype, contrib.gradientmultiplier(variable("data"), scalar=-0.3, name="op"),
                  {"data": uniform("multiplier", dtype, high=5, dtype=dtype)}, note="the gradient is not the derivative")
    cases.write()

    cases = Cases("_contrib_quadratic")
    for dtype in ("float32", "float64", "float16", "int32"):
        cases.add(dtype, contrib.quadratic(variable("data"), a=1.5, b=-2, c=1, name="op"),
                  {"data": uniform("quadratic", dtype, high=5, dtype=dtype)}, backward=dtype != "int32")
    cases.write()

    for op in ("round", "sign"):
        cases = Cases(f"_contrib_{op}_ste")
        data = np.array([-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.3, np.nan], "float32")
        for dtype in ("float32", "float64", "float16"):
            cases.add(dtype, getattr(contrib, f"{op}_ste")(variable("data"), name="op"), {"data": data.astype(dtype)},
                      note="the gradient is that of the identity")
        cases.write()

    cases = Cases("_contrib_allclose")
    a = np.array([1, 2, np.nan, np.inf], "float32")
    for name, b, attributes in (("equal", a, {}), ("nan", a, {"equal_nan": False}), ("near", a * np.float32(1.000005), {}),
                                ("far", a * np.float32(1.0001), {}), ("wide", a * np.float32(1.1), {"rtol": 0.2})):
        cases.add(name, contrib.allclose(variable("a"), variable("b"), name="op", **attributes), {"a": a, "b": b},
                  backward=False, numpy=True)
    cases.write()


def densities():
    """MXNet's float64 kernels hold π and digamma in float32."""
    for name, parameters, low, high in (
            ("uniform", ("low", "high"), (0.1, 1.5), (0.9, 2.5)), ("normal", ("mu", "sigma"), (-1, 0.5), (1, 2)),
            ("gamma", ("alpha", "beta"), (0.5, 0.5), (3, 2)), ("exponential", ("lam",), (0.3,), (2,)),
            ("poisson", ("lam",), (0.3,), (4,)), ("negative_binomial", ("k", "p"), (1, 0.2), (4, 0.8)),
            ("generalized_negative_binomial", ("mu", "alpha"), (0.5, 0.3), (3, 2))):
        cases = Cases(f"_random_pdf_{name}")
        counts = name.endswith("binomial") or name == "poisson"
        for case, shape, block, dtype, is_log in (("blocks", (2, 2), (3,), "float32", False), ("log", (2,), (2, 2), "float32", True),
                                                  ("each", (3,), (), "float64", False), ("double", (2,), (3,), "float64", True)):
            inputs = {key: uniform(name, case, key, low=low[i], high=high[i], shape=shape, dtype=dtype) for i, key in enumerate(parameters)}
            sample = uniform(name, case, low=0.3, high=3, shape=shape + block, dtype=dtype)
            inputs["sample"] = np.floor(sample * 2) if counts else sample
            symbol = getattr(mx.sym, f"random_pdf_{name}")(*[variable(key) for key in ("sample", *parameters)], is_log=is_log, name="op")
            cases.add(case, symbol, inputs, no_gradient=("sample",) if counts or name == "uniform" else (), tolerance=(1e-5, 1e-6) if dtype == "float64" else (1e-4, 1e-5))
        cases.write()
    cases = Cases("_random_pdf_dirichlet")
    for case, shape, draws, dtype, is_log in (("blocks", (2,), (4,), "float32", False), ("log", (), (2,), "float64", True)):
        sample = uniform("dirichlet", case, low=0.1, high=1, shape=shape + draws + (3,), dtype=dtype)
        inputs = {"sample": sample / sample.sum(axis=-1, keepdims=True),
                  "alpha": uniform("dirichlet", case, "alpha", low=0.5, high=3, shape=shape + (3,), dtype=dtype)}
        cases.add(case, mx.sym.random_pdf_dirichlet(variable("sample"), variable("alpha"), is_log=is_log, name="op"), inputs,
                  tolerance=(1e-5, 1e-6) if dtype == "float64" else (1e-4, 1e-5))
    cases.write()


def hawkes():
    cases = Cases("_contrib_hawkesll")
    for name, n, t, k, dtype in (("three-kinds", 2, 5, 3, "float32"), ("one-kind", 1, 7, 1, "float32"), ("double", 3, 4, 2, "float64")):
        random = random_for("hawkes", name)
        inputs = {"lda": random.uniform(0.2, 1.2, (n, k)), "alpha": random.uniform(0.1, 0.6, k), "beta": random.uniform(0.5, 2, k),
                  "state": random.uniform(0, 1, (n, k)), "lags": random.uniform(0.1, 1, (n, t)),
                  "valid_length": np.arange(t, t - n, -1), "max_time": np.full(n, t + 1.0)}
        inputs = {key: value.astype(dtype) for key, value in inputs.items()}
        inputs["marks"] = random.randint(0, k, (n, t)).astype("int32")
        names = ("lda", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time")
        symbol = contrib.hawkesll(*[variable(key) for key in names], name="op")
        cases.add(name, symbol, inputs, backward=False, tolerance=(1e-4, 1e-5))
        cases.add(f"{name}-gradient", symbol[0], inputs, no_gradient=names[3:], tolerance=(1e-4, 1e-5),
                  note="MXNet takes no notice of the gradient of the second output, and gives none of state")
    cases.write()


cumsum()
slice_assign()
histogram()
simple()
densities()
hawkes()
