"""Models written in Python: a function that is traced into a file, operators of plug-ins, and their gradients.

The function is called once. Its values stand for arrays that do not exist yet; every operator that it calls becomes a node of the
graph, and loops and branches become nodes with a graph inside, as in MXNet's symbols.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from __future__ import annotations

import ctypes
import inspect
import os
from typing import Any, Callable, Mapping, Sequence

from . import _library
from ._error import Error
from ._library import Library
from ._model import Model, Path

PLUGINS = "HYBRIDSCOPE_OPERATORS"       # what hscope loads, too


class Value:
    """An array of the model while it is traced. Numbers and arrays of the same shape can be added, multiplied and compared."""

    def __init__(self, functions: F, pointer: int) -> None:
        self._functions, self._pointer = functions, pointer

    def __bool__(self) -> bool:
        raise Error("an array has no value while a model is traced: use F.cond() or F.where() in place of if and while")

    def __neg__(self) -> Value:
        return self * -1

    def __rtruediv__(self, other: float) -> Value:
        return self._functions._rdiv_scalar(self, scalar=other)

    __hash__ = object.__hash__


def _add_operators() -> None:
    def arithmetic(name: str) -> Callable[[Value, Any], Value]:
        return lambda self, other: self._functions._binary(name, self, other)

    def comparison(how: int) -> Callable[[Value, Any], Value]:
        return lambda self, other: self._functions._compare(self, how, other)

    for method, name in (("add", "add"), ("radd", "add"), ("sub", "sub"), ("rsub", "rsub"), ("mul", "mul"), ("rmul", "mul"),
                         ("truediv", "div"), ("pow", "power")):
        setattr(Value, f"__{method}__", arithmetic(name))
    for how, method in enumerate(("eq", "ne", "lt", "le", "gt", "ge")):
        setattr(Value, f"__{method}__", comparison(how))


_add_operators()


class F:
    """What a traced function computes with: F.NAME(arrays, attribute=value) calls any operator, by MXNet's name.

    Arrays that are left out become parameters of the model, called after the node: F.FullyConnected(x, num_hidden=4, name="out")
    has out_weight and out_bias. Operators with several outputs give a list.
    """

    def __init__(self, library: Library, pointer: int) -> None:
        self._library, self._pointer = library, pointer
        self._failure: BaseException | None = None

    def __getattr__(self, op: str) -> Callable[..., Any]:
        if op.startswith("__"):
            raise AttributeError(op)

        def call(*inputs: Any, name: str | None = None, **attributes: Any) -> Any:
            words = [word.encode() for key, value in attributes.items() if value is not None for word in (key, str(value))]
            arrays = [self._give(value) for value in inputs]
            options = _library.HybOpCall(name=name.encode() if name else None, n_inputs=len(arrays),
                                         inputs=(ctypes.c_void_p * (len(arrays) + 1))(*arrays),
                                         attributes=_library.strings(words))
            return self._take(self._library.hyb_f_compose(self._pointer, op.encode(), ctypes.byref(options)))

        return call

    def var(self, name: str) -> Value:
        """The input or parameter of this name."""
        return self._take(self._library.hyb_value_variable(self._pointer, name.encode(), None))

    def zeros(self, shape: Sequence[int]) -> Value:
        """An array of zeros; a dimension of 0 follows from the arrays around it."""
        return self._take(self._library.hyb_zeros(self._pointer, str(tuple(shape)).encode()))

    def foreach(self, body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any) -> list[Any]:
        """Calls body(slice, states) -> (outputs, states) for every slice along axis 0. Returns [stacked outputs, last states]."""
        def step(pointer: int, slices: int, states: Any, _: Any) -> int | None:
            return self._inside(pointer, lambda: self._give_step(body(self._take(slices), self._take(states[0])), states))

        callback = _library.FOREACH_BODY(step)
        return self._take(self._library.hyb_foreach(self._pointer, callback, self._give(data), self._give(init_states), None))

    def while_loop(self, cond: Callable[..., Value], func: Callable[..., tuple[Any, Any]], loop_vars: Sequence[Any],
                   max_iterations: int) -> list[Any]:
        """Calls func(*variables) -> (outputs, variables) while cond(*variables). Returns [outputs, last variables].

        The outputs have max_iterations rows; those that were not reached are zero.
        """
        def condition(pointer: int, variables: int, _: Any) -> int | None:
            return self._inside(pointer, lambda: self._give(cond(*self._take(variables))))

        def step(pointer: int, variables: Any, _: Any) -> int | None:
            return self._inside(pointer, lambda: self._give_step(func(*self._take(variables[0])), variables))

        loop = _library.HybWhile(condition=_library.WHILE_CONDITION(condition), body=_library.WHILE_BODY(step),
                                 variables=self._give(list(loop_vars)), max_iterations=max_iterations)
        return self._take(self._library.hyb_while_loop(self._pointer, ctypes.byref(loop)))

    def cond(self, pred: Value, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
        """The result of then_func() where pred, an array with one element, is not zero, else that of else_func()."""
        def branch(function: Callable[[], Any]) -> Any:
            return _library.BRANCH(lambda pointer, _: self._inside(pointer, lambda: self._give(function())))

        branches = branch(then_func), branch(else_func)
        return self._take(self._library.hyb_cond(self._pointer, self._give(pred), *branches, None))

    def _binary(self, name: str, a: Value, b: Any) -> Value:
        if isinstance(b, Value):
            return self._take(getattr(self._library, f"hyb_{name}")(self._pointer, a._pointer, b._pointer))
        return self._take(getattr(self._library, f"hyb_{name}_scalar")(self._pointer, a._pointer, b))

    def _compare(self, a: Value, how: int, b: Any) -> Value:
        if isinstance(b, Value):
            return self._take(self._library.hyb_compare(self._pointer, a._pointer, how, b._pointer))
        return self._take(self._library.hyb_compare_scalar(self._pointer, a._pointer, how, b))

    def _give(self, value: Any) -> int:
        """A value for the library: lists may be nested."""
        if isinstance(value, Value):
            return value._pointer
        if not isinstance(value, (list, tuple)):
            raise Error(f"{value!r} is no array of the model; numbers are given as attributes, arrays as F.var(NAME)")
        items = [self._give(item) for item in value]
        pointer: int = self._library.hyb_list(self._pointer, len(items), (ctypes.c_void_p * (len(items) + 1))(*items))
        return pointer

    def _take(self, pointer: int) -> Any:
        """A value of the library; its lists are lists. Raises what went wrong where it was computed."""
        if self._failure:
            raise self._failure
        error = self._library.hyb_f_get_error(self._pointer)
        if error:
            raise Error(error.contents.message.decode(errors="replace"))
        if not self._library.hyb_is_list(pointer):
            return Value(self, pointer)
        return [self._take(self._library.hyb_item(self._pointer, pointer, index)) for index in range(self._library.hyb_n_items(pointer))]

    def _give_step(self, result: tuple[Any, Any], states: Any) -> int:
        outputs, new = result
        states[0] = self._give(new)
        return self._give(outputs)

    def _inside(self, pointer: int, function: Callable[[], int]) -> int | None:
        """Calls a function for a graph inside a node; an exception ends the trace and is raised again by trace()."""
        outer, self._pointer = self._pointer, pointer
        try:
            return function()
        except BaseException as failure:    # the library must not see it
            self._failure = self._failure or failure
            return None
        finally:
            self._pointer = outer


def trace(function: Callable[..., Any], output: Path, parameters: Mapping[str, Any] | None = None) -> Model:
    """Traces function(F, a, b, …), writes it as OUTPUT-symbol.json, and opens that.

    The inputs of the model have the names of the function's parameters; it returns an array or a list. parameters: numbers for
    arrays of the model by name; train() finds the others.
    """
    library = Library.get()
    pointer = library.hyb_f_new_trace(False)
    model = library.hyb_model_new()
    try:
        functions = F(library, pointer)
        inputs = [functions.var(name) for name in list(inspect.signature(function).parameters)[1:]]
        graph = library.try_call("hyb_f_finish", pointer, functions._give(function(functions, *inputs)))
        library.hyb_model_set_graph(model, graph)
        library.hyb_graph_unref(graph)
        for name, array in (parameters or {}).items():
            tensor = library.new_tensor(array)
            library.hyb_model_set_parameter(model, name.encode(), tensor)
            library.hyb_tensor_unref(tensor)
        library.try_call("hyb_model_save", model, os.fsencode(output), 0, None)
    finally:
        library.hyb_model_unref(model)
        library.hyb_f_free(pointer)
    return Model(f"{os.fspath(output)}-symbol.json")


def load_operators(plugin: Path) -> None:
    """Loads the operators of a plug-in, here and in every command that the package starts from now on."""
    path = os.path.abspath(plugin)
    Library.get().try_call("hyb_operators_load", os.fsencode(path))
    listed = [name for name in os.environ.get(PLUGINS, "").split(":") if name]
    os.environ[PLUGINS] = ":".join(listed + [path] * (path not in listed))


def check_gradient(op: str, *inputs: Any, **attributes: Any) -> None:
    """Compares the gradients of an operator at these arrays with difference quotients. Raises Error where they differ."""
    library = Library.get()
    words = [word.encode() for key, value in attributes.items() for word in (key, str(value))]
    tensors = [library.new_tensor(array) for array in inputs]
    try:
        library.try_call("hyb_check_gradient", op.encode(), _library.strings(words), len(tensors),
                         (ctypes.c_void_p * (len(tensors) + 1))(*tensors))
    finally:
        for tensor in tensors:
            library.hyb_tensor_unref(tensor)
