"""The C library by ctypes: opening a model and running it on arrays.

Only functions of engine/abi.txt are called, and only structs of the public headers are laid out here; a test compares both with
the library.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import shutil
import threading
from typing import TYPE_CHECKING, Any, Mapping

from ._error import Error

if TYPE_CHECKING:
    import numpy

NAME = "libhybridscope-engine.so.0"
MAX_RANK = 16
MODES = ("imperative", "hybrid", "static")


class HybShape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("dim", ctypes.c_int64 * MAX_RANK)]


class HybType(ctypes.Structure):
    _fields_ = [("shape", HybShape), ("dtype", ctypes.c_int)]


class HybExecutorOptions(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_int), ("training", ctypes.c_int), ("fold_parameters", ctypes.c_int), ("no_passes", ctypes.c_int),
                ("without", ctypes.c_void_p), ("dump_after", ctypes.c_char_p), ("seed", ctypes.c_uint64),
                ("memory_limit", ctypes.c_size_t), ("gpu", ctypes.c_void_p), ("times_device", ctypes.c_int),
                ("same_bytes", ctypes.c_int)]


class HybOpCall(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("hint", ctypes.c_char_p), ("in_", ctypes.c_void_p * 8),
                ("inputs", ctypes.POINTER(ctypes.c_void_p)), ("n_inputs", ctypes.c_uint),
                ("attributes", ctypes.POINTER(ctypes.c_char_p)), ("bodies", ctypes.c_void_p), ("n_bodies", ctypes.c_uint)]


# Functions of Python that the library calls while it traces: with a HybF, values, and a pointer that is not used here.
FOREACH_BODY = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
WHILE_CONDITION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
WHILE_BODY = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
BRANCH = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class HybWhile(ctypes.Structure):
    _fields_ = [("condition", WHILE_CONDITION), ("body", WHILE_BODY), ("variables", ctypes.c_void_p),
                ("max_iterations", ctypes.c_int64), ("user", ctypes.c_void_p)]


class GError(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", ctypes.c_int), ("message", ctypes.c_char_p)]


_pointer, _text, _int, _uint = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint
_errors = ctypes.POINTER(ctypes.POINTER(GError))

# What is called: the result, and the arguments.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "hyb_add": (_pointer, [_pointer] * 3),
    "hyb_add_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_check_gradient": (_int, [_text, ctypes.POINTER(_text), _uint, ctypes.POINTER(_pointer), _errors]),
    "hyb_compare": (_pointer, [_pointer, _pointer, _int, _pointer]),
    "hyb_compare_scalar": (_pointer, [_pointer, _pointer, _int, ctypes.c_double]),
    "hyb_cond": (_pointer, [_pointer, _pointer, BRANCH, BRANCH, _pointer]),
    "hyb_div": (_pointer, [_pointer] * 3),
    "hyb_div_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_dtype_from_name": (_int, [_text]),
    "hyb_dtype_name": (_text, [_int]),
    "hyb_executor_bind": (_int, [_pointer, _text, _pointer, _errors]),
    "hyb_executor_free": (None, [_pointer]),
    "hyb_executor_get_output": (_pointer, [_pointer, _uint]),
    "hyb_executor_n_outputs": (_uint, [_pointer]),
    "hyb_executor_new": (_pointer, [_pointer, ctypes.POINTER(HybExecutorOptions)]),
    "hyb_executor_run": (_int, [_pointer, _pointer, _errors]),
    "hyb_executor_set_seed": (None, [_pointer, ctypes.c_uint64]),
    "hyb_f_compose": (_pointer, [_pointer, _text, ctypes.POINTER(HybOpCall)]),
    "hyb_f_finish": (_pointer, [_pointer, _pointer, _errors]),
    "hyb_f_free": (None, [_pointer]),
    "hyb_f_get_error": (ctypes.POINTER(GError), [_pointer]),
    "hyb_f_new_trace": (_pointer, [_int]),
    "hyb_foreach": (_pointer, [_pointer, FOREACH_BODY, _pointer, _pointer, _pointer]),
    "hyb_graph_dup_output_names": (_pointer, [_pointer]),
    "hyb_graph_unref": (None, [_pointer]),
    "hyb_is_list": (_int, [_pointer]),
    "hyb_item": (_pointer, [_pointer, _pointer, _uint]),
    "hyb_list": (_pointer, [_pointer, _uint, ctypes.POINTER(_pointer)]),
    "hyb_model_bind_parameters": (_int, [_pointer, _pointer, _errors]),
    "hyb_model_get_graph": (_pointer, [_pointer]),
    "hyb_model_get_parameter": (_pointer, [_pointer, _text]),
    "hyb_model_get_parameter_name": (_text, [_pointer, _uint]),
    "hyb_model_n_parameters": (_uint, [_pointer]),
    "hyb_model_new": (_pointer, []),
    "hyb_model_open": (_pointer, [_text, _text, ctypes.c_int64, _errors]),
    "hyb_model_save": (_int, [_pointer, _text, _uint, _pointer, _errors]),
    "hyb_model_set_graph": (None, [_pointer, _pointer]),
    "hyb_model_set_parameter": (None, [_pointer, _text, _pointer]),
    "hyb_model_unref": (None, [_pointer]),
    "hyb_mul": (_pointer, [_pointer] * 3),
    "hyb_mul_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_n_items": (_uint, [_pointer]),
    "hyb_operators_load": (_int, [_text, _errors]),
    "hyb_power_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_rsub_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_sub": (_pointer, [_pointer] * 3),
    "hyb_sub_scalar": (_pointer, [_pointer, _pointer, ctypes.c_double]),
    "hyb_tensor_get_data": (_pointer, [_pointer]),
    "hyb_tensor_get_type": (ctypes.POINTER(HybType), [_pointer]),
    "hyb_tensor_new": (_pointer, [ctypes.POINTER(HybType), _errors]),
    "hyb_tensor_unref": (None, [_pointer]),
    "hyb_value_variable": (_pointer, [_pointer, _text, _pointer]),
    "hyb_while_loop": (_pointer, [_pointer, ctypes.POINTER(HybWhile)]),
    "hyb_zeros": (_pointer, [_pointer, _text]),
}
EPOCH_HIGHEST = -1


def strings(words: list[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    """A NULL-terminated array of strings."""
    return (ctypes.c_char_p * (len(words) + 1))(*words)


def find() -> str:
    """The library: $HYBRIDSCOPE_LIBRARY, the one that belongs to hscope, or that of the system."""
    given = os.environ.get("HYBRIDSCOPE_LIBRARY")
    if given:
        return given
    program = shutil.which("hscope")
    if program:
        prefix = pathlib.Path(program).resolve().parent.parent
        for folder in ("lib", "lib64", "lib/*-linux-gnu"):
            for path in prefix.glob(f"{folder}/{NAME}"):
                return str(path)
    return ctypes.util.find_library("hybridscope-engine") or NAME


class Library:
    """The loaded library, with the signatures of its functions."""

    _loaded: Library | None = None

    def __init__(self) -> None:
        path = find()
        try:
            self._handle = ctypes.CDLL(path)
            self._glib = ctypes.CDLL("libglib-2.0.so.0")
        except OSError as error:
            raise Error(f"the library of Hybridscope cannot be loaded ({error}); install it, or set HYBRIDSCOPE_LIBRARY to its "
                        "path") from error
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self._handle, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self._glib.g_error_free.argtypes = [ctypes.POINTER(GError)]
        self._glib.g_strfreev.argtypes = [_pointer]

    @classmethod
    def get(cls) -> Library:
        """The library, which is loaded once."""
        if cls._loaded is None:
            cls._loaded = cls()
        return cls._loaded

    def __getattr__(self, name: str) -> Any:        # for type checkers: the functions are set in __init__()
        raise AttributeError(name)

    def try_call(self, name: str, *arguments: Any) -> Any:
        """Calls a function whose last argument is a GError **; raises Error with its message."""
        error = ctypes.POINTER(GError)()
        result = getattr(self, name)(*arguments, ctypes.byref(error))
        if error:
            message = error.contents.message.decode(errors="replace")
            self._glib.g_error_free(error)
            raise Error(message)
        return result

    def take_strings(self, strings: int) -> list[str]:
        """The strings of a NULL-terminated array, which is freed."""
        array = ctypes.cast(strings, ctypes.POINTER(_text))
        names: list[str] = []
        while array[len(names)] is not None:
            names.append(array[len(names)].decode())
        self._glib.g_strfreev(strings)
        return names

    def new_tensor(self, value: Any) -> int:
        """A tensor with the numbers of an array, or of lists of Python. The caller drops the reference."""
        import numpy

        array = numpy.ascontiguousarray(value)
        if array.dtype == numpy.float64 and not isinstance(value, (numpy.ndarray, numpy.generic)):
            array = array.astype(numpy.float32)     # numbers of Python, as MXNet and PyTorch do
        dtype = self.hyb_dtype_from_name(array.dtype.name.encode())
        if dtype < 0:
            raise Error(f"arrays of {array.dtype.name} cannot be given to a model")
        kind = HybType(dtype=dtype)
        kind.shape.rank = numpy.ndim(value)
        kind.shape.dim[:kind.shape.rank] = numpy.shape(value)
        tensor: int = self.try_call("hyb_tensor_new", ctypes.byref(kind))
        ctypes.memmove(self.hyb_tensor_get_data(tensor), array.ctypes.data, array.nbytes)
        return tensor

    def read_tensor(self, tensor: int) -> numpy.ndarray:
        """A copy of a tensor's numbers."""
        import numpy

        kind = self.hyb_tensor_get_type(tensor).contents
        name = self.hyb_dtype_name(kind.dtype).decode()
        # NumPy has no bfloat16: its bits, as hscope run writes them.
        array = numpy.empty(tuple(kind.shape.dim[:kind.shape.rank]), "uint16" if name == "bfloat16" else name)
        ctypes.memmove(array.ctypes.data, self.hyb_tensor_get_data(tensor), array.nbytes)
        return array


class Runner:
    """A model in this process, and an executor for each mode and pass that was asked for."""

    def __init__(self, file: str, params: str | None) -> None:
        self._library = Library.get()
        self._executors: dict[tuple[str, bool], int] = {}
        self._lock = threading.Lock()
        self._model = None
        self._model = self._library.try_call("hyb_model_open", os.fsencode(file), os.fsencode(params) if params else None,
                                             EPOCH_HIGHEST)
        self._graph = self._library.hyb_model_get_graph(self._model)
        if not self._graph:
            raise Error(f"{file} has parameters, but no graph that could be run")

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            for executor in self._executors.values():
                self._library.hyb_executor_free(executor)
            self._library.hyb_model_unref(self._model)
            self._model = None

    def run(self, inputs: Mapping[str, Any], mode: str, training: bool, seed: int) -> dict[str, numpy.ndarray]:
        """The outputs by name. Threads take turns."""
        with self._lock:
            return self._run(inputs, mode, training, seed)

    def read_weights(self) -> dict[str, numpy.ndarray]:
        """The parameters by name."""
        library = self._library
        names = [library.hyb_model_get_parameter_name(self._model, index) for index in range(library.hyb_model_n_parameters(self._model))]
        return {name.decode(): library.read_tensor(library.hyb_model_get_parameter(self._model, name)) for name in names}

    def _run(self, inputs: Mapping[str, Any], mode: str, training: bool, seed: int) -> dict[str, numpy.ndarray]:
        library, executor = self._library, self._get_executor(mode, training)
        for name, array in inputs.items():
            tensor = library.new_tensor(array)
            try:
                library.try_call("hyb_executor_bind", executor, name.encode(), tensor)
            finally:
                library.hyb_tensor_unref(tensor)
        library.hyb_executor_set_seed(executor, seed)
        library.try_call("hyb_executor_run", executor, None)
        names = library.take_strings(library.hyb_graph_dup_output_names(self._graph))
        return {name: library.read_tensor(library.hyb_executor_get_output(executor, index)) for index, name in enumerate(names)}

    def _get_executor(self, mode: str, training: bool) -> int:
        if mode not in MODES:
            raise Error(f"mode {mode!r}: it must be one of {', '.join(MODES)}")
        if (mode, training) not in self._executors:
            options = HybExecutorOptions(mode=MODES.index(mode), training=training)
            self._executors[mode, training] = executor = self._library.hyb_executor_new(self._graph, ctypes.byref(options))
            self._library.try_call("hyb_model_bind_parameters", self._model, executor)
        return self._executors[mode, training]
