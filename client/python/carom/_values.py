"""Values of Python to trees of libcarom (carom/value.h) and back."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _native
from ._errors import InvalidArgument, OutOfMemory
from ._library import carom


def _map(value: dict, depth: int) -> int:
    tree = carom.carom_map()
    for key, member in value.items():
        if not isinstance(key, str):
            carom.carom_value_free(tree)
            raise InvalidArgument(f"{key!r}: keys of maps are strings")
        name = key.encode()
        try:
            carom.carom_setn(tree, name, len(name), _tree(member, depth + 1))
        except InvalidArgument as error:
            carom.carom_value_free(tree)
            raise InvalidArgument(f"{key}: {error.text}") from None
    return tree


def _array(value: Any, depth: int) -> int:
    tree = carom.carom_array()
    try:
        for member in value:
            carom.carom_push(tree, _tree(member, depth + 1))
    except InvalidArgument:
        carom.carom_value_free(tree)
        raise
    return tree


def _integer(value: int) -> int:
    if not -2**63 <= value < 2**64:
        raise InvalidArgument(f"{value}: integers are -2^63 to 2^64 - 1")
    return carom.carom_uint(value) if value >= 0 else carom.carom_int(value)


def _tree(value: Any, depth: int) -> int:
    if depth > _native.CAROM_VALUE_DEPTH_MAX:
        raise InvalidArgument(f"nested deeper than {_native.CAROM_VALUE_DEPTH_MAX} containers")
    if value is None:
        return carom.carom_nil()
    if isinstance(value, bool):
        return carom.carom_bool(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return carom.carom_real(value)
    if isinstance(value, str):
        text = value.encode()
        return carom.carom_strn(text, len(text))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return carom.carom_bin(bytes(value), len(bytes(value)))
    if isinstance(value, dict):
        return _map(value, depth)
    if isinstance(value, (list, tuple)):
        return _array(value, depth)
    if hasattr(value, "tolist"):  # arrays and scalars of numpy
        return _tree(value.tolist(), depth)
    raise InvalidArgument(f"{type(value).__name__}: no type of a value; None, bool, int, float, str, bytes, list, tuple, "
                          "dict and numpy's are")


class Tree:
    """A tree of libcarom for the time of a `with` block."""

    def __init__(self, value: Any):
        self.pointer = _tree(value, 0)

    def __enter__(self) -> int:
        if not carom.carom_value_ok(self.pointer):
            self.__exit__()
            raise OutOfMemory("no memory for the arguments")
        return self.pointer

    def __exit__(self, *_: Any) -> None:
        carom.carom_value_free(self.pointer)
        self.pointer = None


def _bytes_of(pointer: int) -> bytes:
    size = ctypes.c_size_t()
    data = carom.carom_as_bytes(pointer, ctypes.byref(size))
    return ctypes.string_at(data, size.value) if data else b""


def _key(pointer: int, index: int) -> str:
    size = ctypes.c_size_t()
    text = carom.carom_value_key(pointer, index, ctypes.byref(size))
    return text.decode(errors="replace")


def read(pointer: int | None) -> Any:
    """The value of a tree, which stays as it is. None for NULL."""
    kind = carom.carom_value_type(pointer)
    if kind == _native.CAROM_REAL:
        return carom.carom_as_real(pointer, 0.0)
    if kind == _native.CAROM_UINT:
        return carom.carom_as_uint(pointer, 0)
    if kind == _native.CAROM_INT:
        return carom.carom_as_int(pointer, 0)
    if kind == _native.CAROM_BOOL:
        return bool(carom.carom_as_bool(pointer, False))
    if kind == _native.CAROM_STR:
        return _bytes_of(pointer).decode(errors="replace")
    if kind == _native.CAROM_BIN:
        return _bytes_of(pointer)
    if kind == _native.CAROM_ARRAY:
        return [read(carom.carom_value_at(pointer, i)) for i in range(carom.carom_value_count(pointer))]
    if kind == _native.CAROM_MAP:
        return {_key(pointer, i): read(carom.carom_value_at(pointer, i)) for i in range(carom.carom_value_count(pointer))}
    return None


def take(pointer: int | None) -> Any:
    """The value of a tree, which is freed."""
    try:
        return read(pointer)
    finally:
        carom.carom_value_free(pointer)
