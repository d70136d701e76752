"""Files of the description: TOML with entries, whose faults are reported with file, line and reason."""

import ast
import difflib
import operator
import re
import tomllib


class SchemaError(Exception):
    """An error in proto/schema; the text has the place, the fault, and the allowed values."""


class File:
    """One file of the description, and the lines of its entries."""

    def __init__(self, path):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.data = tomllib.loads(self.text)
        except OSError as error:
            raise SchemaError(f"{path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SchemaError(f"{path}: {error}") from None

    def line(self, entry, row):
        """The line of the entry, or of its row if one is given; 1 if there is none."""
        lines = self.text.splitlines()
        start = self.find(lines, 0, rf'name = "{re.escape(entry)}"$')
        if start is None:
            start = self.find(lines, 0, rf'"?{re.escape(row or entry)}"?\b|\[+{re.escape(entry)}\]')
            return 1 if start is None else start + 1
        end = self.find(lines, start, r"\[\[") or len(lines)
        row = re.escape(row or "")
        for pattern in (rf'.*\b(name|like|list|word) = "{row}"', rf'.*[\[ ]"{row}"') if row else ():
            found = self.find(lines[:end], start + 1, pattern)
            if found is not None:
                return found + 1
        return start + 1

    @staticmethod
    def find(lines, start, pattern):
        return next((i for i in range(start, len(lines)) if re.match(pattern, lines[i])), None)

    def fail(self, entry, row, text):
        place = entry + (f", {row}" if row else "")
        raise SchemaError(f"{self.path}:{self.line(entry, row)}: {place}: {text}")


def suggestion(word, known):
    near = difflib.get_close_matches(str(word), [str(k) for k in known], 1)
    return f"; did you mean '{near[0]}'?" if near else ""


# ---- numbers

OPERATORS = {ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Add: operator.add, ast.Sub: operator.sub,
             ast.LShift: operator.lshift}


def evaluate(text, names):
    """The number that an expression of numbers and limits is. Raises ValueError or KeyError."""
    def value(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(text)
    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        raise ValueError(text) from None


# ---- entries

def check_keys(file, entry, row, table, required, optional):
    for key in table:
        if key not in required | optional:
            file.fail(entry, row, f"unknown key '{key}'{suggestion(key, required | optional)}")
    for key in sorted(required):
        if key not in table:
            file.fail(entry, row, f"'{key}' is missing")


def entries(files, kind, required, optional=frozenset()):
    """(file, table) of every `[[kind]]`, in order; checks its keys, and that no name occurs twice."""
    seen = {}
    for file in files:
        for table in file.data.get(kind, []):
            name = table.get("name", "?")
            check_keys(file, f"{name}", None, table, {"name"} | required, optional)
            if name in seen:
                file.fail(name, None, f"there is such a {kind} already, in {seen[name].path}")
            seen[name] = file
            yield file, table
