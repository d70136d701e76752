"""Text helpers that several targets share."""

import json
import textwrap


def c_string(text):
    """A string of C in double quotes; UTF-8 stays unchanged."""
    return json.dumps(text, ensure_ascii=False)


def c_number(value):
    """A double of C with every digit that it has."""
    return repr(float(value))


def c_comment(text, width=98):
    return ["// " + line for line in textwrap.wrap(text, width - 3)]


def js_string(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def js_number(value):
    """A number as printf's %.17g writes it."""
    return f"{float(value):.17g}"
