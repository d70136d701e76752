// Values as JSON. Part of libcarom-scene, the library beside libcarom that knows JSON and scene
// files.
//
// One dialect wherever carom reads or writes JSON (PROTOCOL.md): plain JSON, and for values that
// JSON lacks {"$bin": "00ff"} (hexadecimal), {"$uint": "18446744073709551615"} above the range of
// int64, {"$float": "nan"}. A text that is printed reads back as an equal value.
#ifndef CAROM_JSON_H
#define CAROM_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/export.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// Parses one JSON text of `size` bytes; any value may be the root. Errors: CAROM_INVALID_ARGUMENT
// with line and column, also for a key that is there twice; CAROM_LIMIT_EXCEEDED when nested too
// deeply; CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_json_parse(const char *text, size_t size, carom_value **out,
                                        carom_error *error);

// Prints JSON, on one line, or indented by two spaces a level (arrays of plain numbers stay on a
// line). The text is zero-terminated; the caller frees it with carom_free_text; *size (may be NULL)
// is its length. NULL for a broken value, a string that is not UTF-8, or when memory has run out.
CAROM_API char *carom_json_print(const carom_value *value, bool indented, size_t *size);

CAROM_API void carom_free_text(char *text); // NULL is allowed

CAROM_END_DECLS

#endif
