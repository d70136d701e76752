// Files that are served: the viewer and the npm package's sources, put into the program
// when it is built (embed.cmake).
//
// Constant data; any thread. files_load is called once, before.
#ifndef CAROM_SERVER_HTTP_FILES_H
#define CAROM_SERVER_HTTP_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "server/base/bytes.h"
#include "server/http/request.h"

enum { FILES_ETAG_CHARS = 34 }; // 32 hexadecimal digits in quotation marks

// Written by embed.cmake; the last entry has no path.
typedef struct embedded_file {
    const char *path; // "/viewer/main.js"
    const uint8_t *begin, *end;
    const uint8_t *packed, *packed_end; // the same by gzip; NULL: not there
} embedded_file;

extern const embedded_file EMBEDDED_FILES[];

// A representation (RFC 9110, 3.2): contents and their tag.
typedef struct file_form {
    char etag[FILES_ETAG_CHARS + 1]; // strong: of these very bytes
    shared_bytes *data;              // NULL: there is no such form
} file_form;

typedef struct served_file {
    const char *path;
    const char *type; // Content-Type
    file_form plain;
    file_form gzip; // present only if smaller
} served_file;

typedef struct served_files {
    served_file *data;
    uint32_t count;
} served_files;

// Loads the embedded files, and one for "/": the viewer's page, or a plain one if there is no
// viewer.
void files_load(served_files *out);
void files_free(served_files *f);

// NULL: no such file.
const served_file *files_find(const served_files *f, http_span path);

// Content-Type by the ending of a path.
const char *files_type(const char *path);

#endif
