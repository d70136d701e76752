// The folder of a game's files, which the server has pages of its own for (caromd --www DIR), and
// that of the documentation's site (--docs DIR).
//
// The folder is read as a whole before the process takes its sockets, so that nobody waits for it
// and a request reads no disk. A look at its names, sizes and times every WWW_LOOK_MS, on a thread
// of libuv's pool, finds the files that have changed, and those alone are read again. Connections
// that are sending an old file keep it to its end. The site is read once, with the compressed files
// that docs/build.py put beside its pages.
//
// A game's texts are compressed while the folder is read: at first WWW_PACK_FIRST bytes, a fraction
// of a second, and the others by the pool while the server already serves them as they are.
//
// Network thread only, except www_read: any thread.
#ifndef CAROM_SERVER_HTTP_WWW_H
#define CAROM_SERVER_HTTP_WWW_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/http/files.h"
#include "server/http/request.h"

enum {
    WWW_LOOK_MS = 500,       // time between looks for changes
    WWW_FILES_MAX = 4096,    // files of the folder
    WWW_PATH_BYTES_MAX = 512 // longest path of a file in the folder
};
#define WWW_BYTES_MAX  ((uint64_t)256 << 20) // all files together
#define WWW_PACK_FIRST ((uint64_t)8 << 20)   // texts that www_read compresses

typedef enum www_kind {
    WWW_GAME, // somebody's folder, which changes
    WWW_DOCS  // made by docs/build.py: NAME.gz is NAME by gzip
} www_kind;

// A folder, and its files as they were read last.
typedef struct www_folder {
    const char *path; // NULL: there is none
    www_kind kind;
    served_files files;
    uint64_t mark;
    uint32_t skipped;
    uint32_t read; // files of these that were read the last time; the others had not changed
    bool packed;   // no text is left to compress
} www_folder;

// Reads all files below the folder, sorted by path. Compresses texts of WWW_PACK_FIRST bytes, in
// that order, where that makes them smaller. `path` must outlive *out.
// The folder itself may be a link. Not served: names that begin with a dot, links, and names that a
// request could only write with percent signs; out->skipped counts the latter.
// Errors: INVALID_ARGUMENT for a folder that cannot be read, is empty or too large, or has files
// where the server has its own (/viewer/, /src/, /healthz, /readyz, /metrics, /rpc); then *out has
// no path.
status www_read(const char *path, www_kind kind, www_folder *out, error *err);
// Frees the files that were read.
void www_drop(www_folder *folder);

typedef struct www www;

// Serves a folder that was read, and renews it when it changes. `folder` must outlive it.
www *www_open(uv_loop_t *loop, www_folder *folder);
// The file at a path, where a "/" at the end means the folder's index.html. NULL: there is none.
const served_file *www_find(const www *w, http_span path);
// Whether the path lacks a "/" at its end: it is a folder with an index.html.
bool www_is_folder(const www *w, http_span path);
// Ends it; its memory is freed on the loop. NULL does nothing.
void www_close(www *w);

#endif
