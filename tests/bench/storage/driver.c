// Drives the storage and its rivals through batches of records; see driver.h. Called from the main
// thread.
#include "tests/bench/storage/driver.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/storage/internal.h"
#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"

enum { PATH_BYTES = 512, FLIP_RECORDS = 200 };

static void path_in(const char *folder, const char *name, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/%s", folder, name);
}

static void clean(const char *path)
{
    char command[PATH_BYTES + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    if (system(command) != 0) {
        give_up("cannot remove what the last run left");
    }
}

double run_bare(const load *l, double *seconds)
{
    char path[PATH_BYTES];
    path_in(l->folder, "bare", path);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    size_t bytes = l->size * (size_t)l->batch;
    char *data = calloc(1, bytes);
    if (fd < 0 || data == NULL) {
        give_up("cannot write a file in the folder");
    }
    double begin = clock_seconds(CLOCK_WALL);
    for (int i = 0; i < l->commits; i++) {
        double before = clock_seconds(CLOCK_WALL);
        if (write(fd, data, bytes) != (ssize_t)bytes || fdatasync(fd) != 0) {
            give_up("writing failed");
        }
        seconds[i] = clock_seconds(CLOCK_WALL) - before;
    }
    double all = clock_seconds(CLOCK_WALL) - begin;
    close(fd);
    free(data);
    clean(path);
    return all;
}

// ---- the storage

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    uint64_t wakes;
} waiter;

static void on_wake(void *context)
{
    waiter *w = context;
    pthread_mutex_lock(&w->lock);
    w->wakes++;
    pthread_cond_signal(&w->woken);
    pthread_mutex_unlock(&w->lock);
}

static void await(waiter *w, const storage_world *world, uint64_t sequence)
{
    pthread_mutex_lock(&w->lock);
    while (storage_committed(world) < sequence) {
        error err;
        if (storage_state(world, &err) != STATUS_OK) {
            give_up(err.text);
        }
        pthread_cond_wait(&w->woken, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static shared_bytes *block(size_t size)
{
    shared_bytes *b = bytes_create(size);
    memset(b->data, 'x', size);
    b->size = size;
    return b;
}

static void must(status s, const error *err)
{
    if (s != STATUS_OK) {
        give_up(err->text);
    }
}

static storage *open_storage(const char *path)
{
    storage_options options = storage_options_default();
    storage *s;
    error err;
    must(storage_open(path, &options, &s, &err), &err);
    return s;
}

static void keep_images_going(storage_world *w, shared_bytes *image, uint64_t tick)
{
    error err;
    if (image != NULL && storage_checkpoint_state(w, &err) == STATUS_OK) {
        must(storage_checkpoint(w, tick, NULL, image, &err), &err);
    }
}

static double run_storage(const load *l, double *seconds, storage_durability durability)
{
    char path[PATH_BYTES];
    path_in(l->folder, "data", path);
    clean(path);
    storage *s = open_storage(path);
    storage_world *w;
    error err;
    waiter wait = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    must(storage_start(s, &err), &err);
    must(storage_create(s, "world", 1, durability, &w, &err), &err);
    storage_watch(w, on_wake, &wait);
    await(&wait, w, 1);
    shared_bytes *bytes = block(l->size);
    shared_bytes *image = l->image > 0 ? block(l->image) : NULL;
    uint64_t sequence = 1;
    double begin = clock_seconds(CLOCK_WALL);
    for (int i = 0; i < l->commits; i++) {
        keep_images_going(w, image, (uint64_t)i);
        double before = clock_seconds(CLOCK_WALL);
        for (int k = 0; k < l->batch; k++) {
            must(storage_append(w, (uint64_t)i, (uint64_t)i, NULL, bytes, &sequence, &err), &err);
        }
        await(&wait, w, sequence);
        seconds[i] = clock_seconds(CLOCK_WALL) - before;
    }
    double all = clock_seconds(CLOCK_WALL) - begin;
    storage_watch(w, NULL, NULL);
    must(storage_close(s, &err), &err);
    bytes_unref(bytes);
    bytes_unref(image);
    clean(path);
    return all;
}

double run_full(const load *l, double *seconds)
{
    return run_storage(l, seconds, STORAGE_FULL);
}

double run_normal(const load *l, double *seconds)
{
    return run_storage(l, seconds, STORAGE_NORMAL);
}

// ---- recovery

static status take_world(void *context, storage_world *w, const storage_info *info, error *err)
{
    (void)context;
    (void)w;
    (void)info;
    (void)err;
    return STATUS_OK;
}

static status take_image(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                         size_t size, error *err)
{
    (void)context;
    (void)w;
    (void)offset;
    (void)bytes;
    (void)size;
    (void)err;
    return STATUS_OK;
}

static status take_record(void *context, storage_world *w, const storage_record *r, error *err)
{
    (void)w;
    (void)r;
    (void)err;
    ++*(int *)context;
    return STATUS_OK;
}

static const storage_visitor COUNTING = {NULL, take_world, take_image, take_record};

static int recover_all(storage *s)
{
    int records = 0;
    storage_visitor visitor = COUNTING;
    visitor.context = &records;
    error err;
    must(storage_recover(s, &visitor, &err), &err);
    return records;
}

double run_recovery(const load *l, int records)
{
    char path[PATH_BYTES];
    path_in(l->folder, "data", path);
    clean(path);
    storage *s = open_storage(path);
    storage_world *w;
    error err;
    must(storage_create(s, "world", 1, STORAGE_NORMAL, &w, &err), &err);
    shared_bytes *image = block(l->image);
    must(storage_checkpoint(w, 0, NULL, image, &err), &err);
    shared_bytes *bytes = block(l->size);
    uint64_t sequence;
    for (int i = 0; i < records; i++) {
        must(storage_append(w, (uint64_t)i, (uint64_t)i, NULL, bytes, &sequence, &err), &err);
        if (i % 1000 == 999) {
            while (storage_turn(s)) {
            }
        }
    }
    while (storage_turn(s)) {
    }
    storage_abandon(s); // simulates kill -9
    bytes_unref(bytes);
    bytes_unref(image);
    double begin = clock_seconds(CLOCK_WALL);
    s = open_storage(path);
    int found = recover_all(s);
    double all = clock_seconds(CLOCK_WALL) - begin;
    if (found != records) {
        give_up("the recovery lacks records");
    }
    must(storage_close(s, &err), &err);
    clean(path);
    return all;
}

// ---- changed bytes

static void change_byte(const char *path, uint64_t from, unsigned *random)
{
    FILE *file = fopen(path, "r+b");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        give_up("the log is not there");
    }
    long size = ftell(file);
    int last = 0;
    while (last == 0 && size > (long)from) { // not in the space behind the log
        fseek(file, --size, SEEK_SET);
        last = fgetc(file);
    }
    size++;
    long at = (long)from + (long)rand_r(random) % (size - (long)from);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (1 << rand_r(random) % 8), file);
    fclose(file);
}

static void count_flip(flip_counts *c, bool told, int found)
{
    c->tries++;
    c->told += told;
    c->lost += !told && found < FLIP_RECORDS;
    c->harmless += !told && found == FLIP_RECORDS;
}

flip_counts flip_storage(const char *folder, int tries)
{
    flip_counts counts = {0};
    unsigned random = 1;
    char path[PATH_BYTES];
    path_in(folder, "data", path);
    shared_bytes *bytes = block(200);
    for (int i = 0; i < tries; i++) {
        clean(path);
        storage *s = open_storage(path);
        storage_world *w;
        error err;
        uint64_t sequence;
        must(storage_create(s, "world", 1, STORAGE_FULL, &w, &err), &err);
        for (int k = 0; k < FLIP_RECORDS; k++) {
            must(storage_append(w, 1, 1, NULL, bytes, &sequence, &err), &err);
            while (storage_turn(s)) {
            }
        }
        storage_abandon(s);
        char log[PATH_BYTES + 16];
        snprintf(log, sizeof log, "%s/log-0000000001", path);
        change_byte(log, 400, &random);
        storage_options options = storage_options_default();
        bool told = storage_open(path, &options, &s, &err) != STATUS_OK;
        int found = told ? 0 : recover_all(s);
        if (!told) {
            storage_abandon(s);
        }
        count_flip(&counts, told, found);
    }
    bytes_unref(bytes);
    clean(path);
    return counts;
}

#ifdef CAROM_HAS_SQLITE
#include <sqlite3.h>

static void sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) {
        give_up(sqlite3_errmsg(db));
    }
}

static sqlite3 *open_sqlite(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        give_up(sqlite3_errmsg(db));
    }
    sql(db, "pragma locking_mode = exclusive; pragma journal_mode = wal; "
            "pragma synchronous = full;"
            "create table if not exists log(sequence integer primary key, world integer, "
            "first integer, last integer, hash integer, bytes blob)");
    return db;
}

static void insert(sqlite3_stmt *s, const char *data, size_t size, int tick)
{
    sqlite3_bind_int(s, 1, 1);
    sqlite3_bind_int(s, 2, tick);
    sqlite3_bind_int(s, 3, tick);
    sqlite3_bind_blob(s, 4, data, (int)size, SQLITE_STATIC);
    if (sqlite3_step(s) != SQLITE_DONE) {
        give_up("an insert failed");
    }
    sqlite3_reset(s);
}

static sqlite3_stmt *prepare_insert(sqlite3 *db)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, "insert into log(world, first, last, bytes) values(?, ?, ?, ?)", -1,
                           &s, NULL) != SQLITE_OK) {
        give_up(sqlite3_errmsg(db));
    }
    return s;
}

bool sqlite_is_there(void)
{
    return true;
}

double run_sqlite(const load *l, double *seconds)
{
    char path[PATH_BYTES];
    path_in(l->folder, "sqlite.db", path);
    clean(path);
    sqlite3 *db = open_sqlite(path);
    sqlite3_stmt *s = prepare_insert(db);
    char *data = calloc(1, l->size);
    double begin = clock_seconds(CLOCK_WALL);
    for (int i = 0; i < l->commits; i++) {
        double before = clock_seconds(CLOCK_WALL);
        sql(db, "begin immediate");
        for (int k = 0; k < l->batch; k++) {
            insert(s, data, l->size, i);
        }
        sql(db, "commit");
        seconds[i] = clock_seconds(CLOCK_WALL) - before;
    }
    double all = clock_seconds(CLOCK_WALL) - begin;
    sqlite3_finalize(s);
    sqlite3_close(db);
    free(data);
    clean(path);
    return all;
}

// The number of rows in the table; -1: an error, or a failed integrity check.
static int count_rows(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *s = NULL;
    int rows = -1;
    if (sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "pragma integrity_check", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(s, 0), "ok") == 0) {
        sqlite3_finalize(s);
        s = NULL;
        if (sqlite3_prepare_v2(db, "select count(*) from log", -1, &s, NULL) == SQLITE_OK &&
            sqlite3_step(s) == SQLITE_ROW) {
            rows = sqlite3_column_int(s, 0);
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    return rows;
}

flip_counts flip_sqlite(const char *folder, int tries)
{
    flip_counts counts = {0};
    unsigned random = 1;
    char path[PATH_BYTES];
    char copy[PATH_BYTES];
    char command[PATH_BYTES * 4 + 64];
    path_in(folder, "sqlite.db", path);
    path_in(folder, "copy.db", copy);
    for (int i = 0; i < tries; i++) {
        snprintf(command, sizeof command, "rm -f '%s'* '%s'*", path, copy);
        (void)!system(command);
        sqlite3 *db = open_sqlite(path);
        sqlite3_stmt *s = prepare_insert(db);
        char data[200] = {0};
        for (int k = 0; k < FLIP_RECORDS; k++) {
            insert(s, data, sizeof data, k);
        }
        // Copies the files as they are at this instant: the state that kill -9 leaves.
        snprintf(command, sizeof command, "cp '%s' '%s' && cp '%s-wal' '%s-wal'", path, copy, path,
                 copy);
        if (system(command) != 0) {
            give_up("cannot copy SQLite's files");
        }
        sqlite3_finalize(s);
        sqlite3_close(db);
        char wal[PATH_BYTES + 8];
        snprintf(wal, sizeof wal, "%s-wal", copy);
        change_byte(wal, 20000, &random);
        int rows = count_rows(copy);
        count_flip(&counts, rows < 0, rows);
    }
    snprintf(command, sizeof command, "rm -f '%s'* '%s'*", path, copy);
    (void)!system(command);
    return counts;
}
#else
bool sqlite_is_there(void)
{
    return false;
}

double run_sqlite(const load *l, double *seconds)
{
    (void)l;
    (void)seconds;
    return 0;
}

flip_counts flip_sqlite(const char *folder, int tries)
{
    (void)folder;
    (void)tries;
    return (flip_counts){0};
}
#endif
