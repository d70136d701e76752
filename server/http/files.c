// The table of embedded files with their types and tags; see files.h. Any thread.
#include "server/http/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "common/base/assert.h"

enum { TAG_BYTES = 16 };

static const char ROOT[] = "/";
static const char PAGE[] = "index.html"; // the type of ROOT is that of this file
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
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".jpeg", "image/jpeg"},
        {".gif", "image/gif"},
        {".webp", "image/webp"},
        {".avif", "image/avif"},
        {".ico", "image/x-icon"},
        {".mp3", "audio/mpeg"},
        {".ogg", "audio/ogg"},
        {".wav", "audio/wav"},
        {".m4a", "audio/mp4"},
        {".mp4", "video/mp4"},
        {".webm", "video/webm"},
        {".woff", "font/woff"},
        {".woff2", "font/woff2"},
        {".ttf", "font/ttf"},
        {".otf", "font/otf"},
        {".wasm", "application/wasm"},
        {".glb", "model/gltf-binary"},
        {".webmanifest", "application/manifest+json"},
        {".xml", "text/xml; charset=utf-8"},
        {".csv", "text/csv; charset=utf-8"},
        {".txt", "text/plain; charset=utf-8"},
        {".md", "text/plain; charset=utf-8"},
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

static file_body *make_body(const uint8_t *data, size_t size)
{
    const size_t count = (size + FILES_BLOCK_BYTES - 1) / FILES_BLOCK_BYTES;
    file_body *body = malloc(sizeof *body + count * sizeof *body->blocks);
    ASSERT_MEMORY(body != NULL);
    atomic_init(&body->references, 1);
    body->size = size;
    body->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = i * FILES_BLOCK_BYTES;
        const size_t left = size - begin;
        shared_bytes *block = bytes_create(left < FILES_BLOCK_BYTES ? left : FILES_BLOCK_BYTES);
        block->size = block->capacity;
        memcpy(block->data, data + begin, block->size);
        body->blocks[i] = block;
    }
    return body;
}

file_body *file_body_ref(file_body *b)
{
    atomic_fetch_add(&b->references, 1);
    return b;
}

void file_body_unref(file_body *b)
{
    if (b == NULL || atomic_fetch_sub(&b->references, 1) > 1) {
        return;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        bytes_unref(b->blocks[i]);
    }
    free(b);
}

static void make_form(file_form *form, const uint8_t *data, size_t size)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    int done = EVP_Digest(data, size, digest, &length, EVP_sha256(), NULL);
    ASSERT(done == 1 && length >= TAG_BYTES);
    form->body = make_body(data, size);
    char *out = form->etag;
    *out++ = '"';
    for (int i = 0; i < TAG_BYTES; i++) {
        out += snprintf(out, 3, "%02x", digest[i]);
    }
    memcpy(out, "\"", 2);
}

bool files_type_packs(const char *type)
{
    static const char *const STARTS[] = {"text/", "application/json", "application/wasm",
                                         "application/manifest+json", "image/svg+xml"};
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        if (strncmp(type, STARTS[i], strlen(STARTS[i])) == 0) {
            return true;
        }
    }
    return false;
}

void files_reserve(served_files *f, size_t count)
{
    ASSERT(f->data == NULL);
    f->data = calloc(count, sizeof *f->data);
    ASSERT_MEMORY(f->data != NULL);
    f->capacity = (uint32_t)count;
}

void files_add(served_files *f, const char *path, const char *type, file_bytes plain,
               file_bytes packed)
{
    ASSERT(f->count < f->capacity);
    served_file *file = &f->data[f->count++];
    *file = (served_file){.path = strdup(path), .type = type};
    ASSERT_MEMORY(file->path != NULL);
    make_form(&file->plain, plain.data, plain.size);
    if (packed.data != NULL && packed.size < plain.size) {
        make_form(&file->gzip, packed.data, packed.size);
    }
}

static file_form share_form(const file_form *form)
{
    file_form shared = *form;
    if (shared.body != NULL) {
        file_body_ref(shared.body);
    }
    return shared;
}

void files_share(served_files *f, const served_file *file)
{
    ASSERT(f->count < f->capacity);
    served_file *shared = &f->data[f->count++];
    *shared = *file;
    shared->path = strdup(file->path);
    ASSERT_MEMORY(shared->path != NULL);
    shared->plain = share_form(&file->plain);
    shared->gzip = share_form(&file->gzip);
}

static void add(served_files *f, const char *path, const char *type, const embedded_file *e)
{
    file_bytes packed = {e->packed, e->packed != NULL ? (size_t)(e->packed_end - e->packed) : 0};
    files_add(f, path, type, (file_bytes){e->begin, (size_t)(e->end - e->begin)}, packed);
}

void files_load(served_files *out)
{
    size_t count = 0;
    while (EMBEDDED_FILES[count].path != NULL) {
        count++;
    }
    *out = (served_files){0};
    files_reserve(out, count + 1);
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
        free(f->data[i].path);
        file_body_unref(f->data[i].plain.body);
        file_body_unref(f->data[i].gzip.body);
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

// Compares a span with a text, like strcmp.
static int compare(http_span path, const char *text)
{
    const size_t size = strlen(text);
    const int difference = memcmp(path.text, text, path.size < size ? path.size : size);
    return difference != 0 ? difference : (path.size > size) - (path.size < size);
}

const served_file *files_find_sorted(const served_files *f, http_span path)
{
    uint32_t begin = 0;
    uint32_t end = f->count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        const int order = compare(path, f->data[middle].path);
        if (order == 0) {
            return &f->data[middle];
        }
        begin = order > 0 ? middle + 1 : begin;
        end = order < 0 ? middle : end;
    }
    return NULL;
}
