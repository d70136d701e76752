// The table of embedded files with their types and tags; see files.h. Any thread.
#include "server/http/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "common/base/assert.h"

enum { TAG_BYTES = 16 };

static const char ROOT[] = "/";
static const char PAGE[] = "index.html"; // the type of ROOT is that of this
static const char PLAIN_PAGE[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>carom</title>\n"
    "<h1>carom</h1>\n"
    "<p>A physics server. This one was built without its viewer.</p>\n"
    "<ul><li><a href=healthz>healthz</a><li><a href=readyz>readyz</a>"
    "<li><a href=metrics>metrics</a><li>rpc: the protocol, over WebSocket</ul></html>\n";

const char *files_type(const char *path)
{
    static const struct {
        const char *ending;
        const char *type;
    } TYPES[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".wasm", "application/wasm"},
        {".webmanifest", "application/manifest+json"},
        {".txt", "text/plain; charset=utf-8"},
    };
    size_t size = strlen(path);
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        size_t ending = strlen(TYPES[i].ending);
        if (size > ending && strcmp(path + size - ending, TYPES[i].ending) == 0) {
            return TYPES[i].type;
        }
    }
    return "application/octet-stream";
}

static void make_form(file_form *form, const uint8_t *data, size_t size)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    int done = EVP_Digest(data, size, digest, &length, EVP_sha256(), NULL);
    ASSERT(done == 1 && length >= TAG_BYTES);
    form->data = bytes_create(size > 0 ? size : 1);
    memcpy(form->data->data, data, size);
    form->data->size = size;
    char *out = form->etag;
    *out++ = '"';
    for (int i = 0; i < TAG_BYTES; i++) {
        out += snprintf(out, 3, "%02x", digest[i]);
    }
    memcpy(out, "\"", 2);
}

static void add(served_files *f, const char *path, const char *type, const embedded_file *e)
{
    served_file *file = &f->data[f->count++];
    size_t size = (size_t)(e->end - e->begin);
    *file = (served_file){.path = path, .type = type};
    make_form(&file->plain, e->begin, size);
    if (e->packed != NULL && (size_t)(e->packed_end - e->packed) < size) {
        make_form(&file->gzip, e->packed, (size_t)(e->packed_end - e->packed));
    }
}

void files_load(served_files *out)
{
    size_t count = 0;
    while (EMBEDDED_FILES[count].path != NULL) {
        count++;
    }
    *out = (served_files){.data = calloc(count + 1, sizeof *out->data)};
    ASSERT_MEMORY(out->data != NULL);
    const uint8_t *plain = (const uint8_t *)PLAIN_PAGE;
    embedded_file root = {.begin = plain, .end = plain + sizeof PLAIN_PAGE - 1};
    for (const embedded_file *e = EMBEDDED_FILES; e->path != NULL; e++) {
        if (strcmp(e->path, ROOT) == 0) {
            root = *e;
        } else {
            add(out, e->path, files_type(e->path), e);
        }
    }
    add(out, ROOT, files_type(PAGE), &root);
}

void files_free(served_files *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        bytes_unref(f->data[i].plain.data);
        bytes_unref(f->data[i].gzip.data);
    }
    free(f->data);
    *f = (served_files){0};
}

const served_file *files_find(const served_files *f, http_span path)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const served_file *file = &f->data[i];
        if (strlen(file->path) == path.size && memcmp(file->path, path.text, path.size) == 0) {
            return file;
        }
    }
    return NULL;
}
