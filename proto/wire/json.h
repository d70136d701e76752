// Converts between JSON text and MessagePack, so that people and scripts can write and read the
// messages of programs. Every MessagePack value has a JSON form and comes back as the same value:
//
//   integers     plain while they fit 64 signed bits; above that {"$uint": "18446744073709551615"}
//                (decimal, or hexadecimal with 0x)
//   floats       with a point or an exponent, in the fewest digits that read back the same;
//                NaN and infinities {"$float": "nan" | "inf" | "-inf"}
//   bin          {"$bin": "00ff"}, hexadecimal; with spaces anywhere between bytes if you like
//   ext          {"$ext": [type, "00ff"]}
//   maps         an object; where a key is no string or is there twice, or the map would be taken
//                for one of these forms, {"$map": [[key, value], …]}
//
// An object is one of these forms if that word is its only key; {"$": 3} is a plain map.
// A 32-bit float comes back as the 64-bit one of the same value; heads come back in their shortest
// width. Strings that are not UTF-8 are an error. Any thread.
#ifndef CAROM_PROTO_WIRE_JSON_H
#define CAROM_PROTO_WIRE_JSON_H

#include <msgpack.h>
#include <stddef.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

// Appends the text's one value to `out` as MessagePack. STATUS_INVALID_ARGUMENT with line and
// column where it is no JSON or has a key twice, with the form's name where a "$" form is
// malformed; STATUS_LIMIT_EXCEEDED where it is nested deeper than WIRE_DEPTH_MAX or does not fit.
// `out` is as before on failure.
status json_text_to_msgpack(const char *text, size_t size, buffer *out, error *err);

typedef enum json_style {
    JSON_STYLE_COMPACT, // one line without spaces
    JSON_STYLE_INDENTED // two spaces a level; arrays of plain numbers stay on a line
} json_style;

// Appends the value to `out` as text, without a closing zero or newline. STATUS_LIMIT_EXCEEDED if
// it does not fit or is nested deeper than WIRE_DEPTH_MAX, STATUS_INVALID_ARGUMENT for a string
// that is not UTF-8.
status json_text_from_msgpack(const msgpack_object *object, json_style style, buffer *out,
                              error *err);

#endif
