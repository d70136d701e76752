// Tables of files that are served: the viewer and the npm package's sources, put into the program
// when it is built (embed.cmake), and those of a game (www.h).
//
// A table does not change once it is made. Any thread.
#ifndef CAROM_SERVER_HTTP_FILES_H
#define CAROM_SERVER_HTTP_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/bytes.h"
#include "server/http/request.h"

enum {
    FILES_ETAG_CHARS = 34,         // 32 hexadecimal digits in quotation marks
    FILES_BLOCK_BYTES = 256 * 1024 // most of a file that waits for one connection
};

// Written by embed.cmake; the last entry has no path.
typedef struct embedded_file {
    const char *path; // "/viewer/main.js"
    const uint8_t *begin, *end;
    const uint8_t *packed, *packed_end; // the same file with gzip; NULL: there is none
} embedded_file;

extern const embedded_file EMBEDDED_FILES[];

// The bytes of a file, in blocks that all connections share; reference-counted.
typedef struct file_body {
    atomic_uint references;
    size_t size;
    uint32_t count;         // number of blocks
    shared_bytes *blocks[]; // FILES_BLOCK_BYTES each, except the last
} file_body;

file_body *file_body_ref(file_body *b);
void file_body_unref(file_body *b); // NULL does nothing

// A representation (RFC 9110, 3.2): contents and their tag.
typedef struct file_form {
    char etag[FILES_ETAG_CHARS + 1]; // strong: of these very bytes
    file_body *body;                 // NULL: there is no such form
} file_form;

typedef struct served_file {
    char *path;
    const char *type; // Content-Type
    file_form plain;
    file_form gzip; // present only if smaller
    uint64_t mark;  // mark of a file in a folder (www.c)
    bool loose;     // it is still to be compressed
} served_file;

typedef struct served_files {
    served_file *data;
    uint32_t count, capacity;
} served_files;

typedef struct file_bytes {
    const uint8_t *data; // NULL: there is no such form
    size_t size;
} file_bytes;

// Loads the embedded files, and one for "/": the viewer's page, or a plain one if there is no
// viewer.
void files_load(served_files *out);
void files_free(served_files *f);
// Makes space for `count` files in an empty table.
void files_reserve(served_files *f, size_t count);
// Adds a copy of a file; `packed` is served if it is smaller.
void files_add(served_files *f, const char *path, const char *type, file_bytes plain,
               file_bytes packed);
// Adds a file of another table, whose bytes both share.
void files_share(served_files *f, const served_file *file);

// NULL: no such file.
const served_file *files_find(const served_files *f, http_span path);
// As files_find, in a table that was filled in the order of strcmp.
const served_file *files_find_sorted(const served_files *f, http_span path);

// Content-Type by the ending of a path.
const char *files_type(const char *path);
// Whether gzip makes contents of the type smaller: texts and WebAssembly.
bool files_type_packs(const char *type);

#endif
