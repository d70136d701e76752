"""Finds and loads libcarom and libcarom-replica.

They are looked for, in this order: in the folders that the environment variable CAROM_LIBRARY names (or the folder of
the file that it names), beside this package, and by the system's loader.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any

from . import _native

_SOVERSION = 0
_HERE = pathlib.Path(__file__).resolve().parent


def _places(name: str) -> list[str]:
    file = f"{name}.so.{_SOVERSION}"
    named = [pathlib.Path(part) for part in os.environ.get("CAROM_LIBRARY", "").split(os.pathsep) if part]
    folders = [place if place.is_dir() else place.parent for place in named] + [_HERE, _HERE / "lib"]
    found = [str(folder / variant) for folder in folders for variant in (file, f"{name}.so") if (folder / variant).exists()]
    return found + [file, f"{name}.so"]


def _open(name: str) -> ctypes.CDLL:
    reasons = []
    for place in _places(name):
        try:
            return ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError(f"{name} was not found: install it, or set CAROM_LIBRARY to its folder ({'; '.join(reasons)})")


class Library:
    """The functions of a library as attributes, with their types. It is loaded when the first one is used."""

    def __init__(self, name: str, functions: dict[str, Any], before: Library | None = None):
        self._name, self._functions, self._before = name, functions, before

    def load(self) -> ctypes.CDLL:
        if "_library" not in self.__dict__:
            if self._before is not None:
                self._before.load()  # libcarom-replica needs libcarom's symbols
            self.__dict__["_library"] = _open(self._name)
        return self.__dict__["_library"]

    def __getattr__(self, name: str) -> Any:
        if name not in self._functions:
            raise AttributeError(name)
        result, args = self._functions[name]
        function = self.load()[name]
        function.restype, function.argtypes = result, args
        self.__dict__[name] = function
        return function


carom = Library("libcarom", _native.CAROM)
replica = Library("libcarom-replica", _native.CAROM_REPLICA, carom)
