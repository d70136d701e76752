// zlib is compiled in; zstd's stable functions are looked up in its library when the benchmark
// runs; see streams.h.
#include "tests/bench/network/streams.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAROM_HAS_ZLIB
#include <zlib.h>
#endif

#include "common/base/assert.h"

enum { OUT_BYTES = 1 << 20, ZSTD_FLUSH = 1, ZSTD_LEVEL_PARAMETER = 100, ZSTD_LEVEL = 3 };

// The struct of zstd.h.
typedef struct zstd_in {
    const void *data;
    size_t size, at;
} zstd_in;
typedef struct zstd_out {
    void *data;
    size_t size, at;
} zstd_out;

struct stream_packer {
#ifdef CAROM_HAS_ZLIB
    z_stream gzip;
#endif
    bool is_zstd;
    void *library, *context;
    size_t (*compress)(void *, zstd_out *, zstd_in *, int);
    size_t (*free_context)(void *);
    uint8_t out[OUT_BYTES];
};

stream_packer *stream_packer_gzip(void)
{
#ifdef CAROM_HAS_ZLIB
    stream_packer *p = calloc(1, sizeof *p);
    ASSERT(p != NULL);
    const int made = deflateInit(&p->gzip, 6);
    ASSERT(made == Z_OK);
    return p;
#else
    return NULL;
#endif
}

// Looks up a function of the library; dlsym returns data pointers.
static void *look_up(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

stream_packer *stream_packer_zstd(void)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    if (library == NULL) {
        return NULL;
    }
    stream_packer *p = calloc(1, sizeof *p);
    ASSERT(p != NULL);
    void *(*create)(void) = NULL;
    size_t (*set)(void *, int, int) = NULL;
    const bool whole = look_up(library, "ZSTD_createCCtx", &create) != NULL &&
                       look_up(library, "ZSTD_CCtx_setParameter", &set) != NULL &&
                       look_up(library, "ZSTD_compressStream2", &p->compress) != NULL &&
                       look_up(library, "ZSTD_freeCCtx", &p->free_context) != NULL;
    ASSERT(whole);
    p->is_zstd = true;
    p->library = library;
    p->context = create();
    set(p->context, ZSTD_LEVEL_PARAMETER, ZSTD_LEVEL);
    return p;
}

void stream_packer_free(stream_packer *p)
{
    if (p == NULL) {
        return;
    }
    if (p->is_zstd) {
        p->free_context(p->context);
        dlclose(p->library);
    }
#ifdef CAROM_HAS_ZLIB
    if (!p->is_zstd) {
        deflateEnd(&p->gzip);
    }
#endif
    free(p);
}

static size_t add_zstd(stream_packer *p, const uint8_t *data, size_t size)
{
    zstd_in in = {data, size, 0};
    size_t bytes = 0;
    size_t left;
    do {
        zstd_out out = {p->out, OUT_BYTES, 0};
        left = p->compress(p->context, &out, &in, ZSTD_FLUSH);
        bytes += out.at;
    } while (left > 0 || in.at < in.size);
    return bytes;
}

#ifdef CAROM_HAS_ZLIB
static size_t add_gzip(stream_packer *p, const uint8_t *data, size_t size)
{
    size_t bytes = 0;
    p->gzip.next_in = (Bytef *)(uintptr_t)data;
    p->gzip.avail_in = (uInt)size;
    do {
        p->gzip.next_out = p->out;
        p->gzip.avail_out = OUT_BYTES;
        deflate(&p->gzip, Z_SYNC_FLUSH);
        bytes += OUT_BYTES - p->gzip.avail_out;
    } while (p->gzip.avail_out == 0);
    return bytes;
}
#endif

size_t stream_packer_add(stream_packer *p, const uint8_t *head, size_t head_size,
                         const uint8_t *tail, size_t tail_size)
{
    uint8_t *message = malloc(head_size + tail_size);
    ASSERT(message != NULL);
    memcpy(message, head, head_size);
    memcpy(message + head_size, tail, tail_size);
    size_t bytes = 0;
    if (p->is_zstd) {
        bytes = add_zstd(p, message, head_size + tail_size);
    }
#ifdef CAROM_HAS_ZLIB
    if (!p->is_zstd) {
        bytes = add_gzip(p, message, head_size + tail_size);
    }
#endif
    free(message);
    return bytes;
}
