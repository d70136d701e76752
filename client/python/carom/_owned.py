"""Objects of the library that this package has to free."""

from __future__ import annotations

from typing import Any, Self


class Owned:
    """A context manager around something of the library; freed by close(), and at the latest when nobody refers to it."""

    _pointer: int | None

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()
