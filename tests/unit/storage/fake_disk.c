// See fake_disk.h.
#include "tests/unit/storage/fake_disk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { SECTOR = 512, NAMES_MAX = 256, NAME_MAX_BYTES = 96 };

// A write or a truncation that was not synced.
typedef struct fake_op {
    struct fake_op *next; // newer
    bool truncation;
    uint64_t offset, size;
    uint8_t *bytes;
} fake_op;

uint64_t case_step(void)
{
    const bool thorough = getenv("CAROM_THOROUGH") != NULL;
#ifdef CAROM_SANITIZED
    return thorough ? 5 : 23;
#else
    return thorough ? 1 : 5;
#endif
}

typedef struct bytes_of {
    uint8_t *data;
    uint64_t size, capacity;
} bytes_of;

typedef struct fake_inode {
    struct fake_inode *next;
    bytes_of now, synced;
    fake_op *first;
    fake_op **last;
} fake_inode;

typedef struct fake_names {
    char name[NAMES_MAX][NAME_MAX_BYTES];
    fake_inode *inode[NAMES_MAX];
    int count;
} fake_names;

typedef struct fake_change {
    struct fake_change *older;
    char from[NAME_MAX_BYTES]; // removed, if not empty
    char to[NAME_MAX_BYTES];   // set to inode, if not empty
    fake_inode *inode;
} fake_change;

typedef struct fake_file {
    disk_file base;
    fake_inode *inode;
} fake_file;

static void *must(void *p)
{
    ASSERT(p != NULL);
    return p;
}

uint64_t fake_random(uint64_t *state) // splitmix64
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// ---- bytes

static void resize(bytes_of *b, uint64_t size)
{
    if (size > b->capacity) {
        b->capacity = size * 2;
        b->data = must(realloc(b->data, b->capacity));
    }
    if (size > b->size) {
        memset(b->data + b->size, 0, size - b->size);
    }
    b->size = size;
}

static void put_bytes(bytes_of *b, uint64_t offset, const void *bytes, uint64_t size)
{
    if (offset + size > b->size) {
        resize(b, offset + size);
    }
    if (size > 0) {
        memcpy(b->data + offset, bytes, size);
    }
}

static void copy_bytes(bytes_of *to, const bytes_of *from)
{
    to->size = 0;
    resize(to, from->size);
    if (from->size > 0) {
        memcpy(to->data, from->data, from->size);
    }
}

static void add_op(fake_inode *i, bool truncation, uint64_t offset, const void *bytes,
                   uint64_t size)
{
    fake_op *op = must(calloc(1, sizeof *op));
    *op = (fake_op){.truncation = truncation, .offset = offset, .size = size};
    if (size > 0 && !truncation) {
        op->bytes = must(malloc(size));
        memcpy(op->bytes, bytes, size);
    }
    *i->last = op;
    i->last = &op->next;
}

static void forget_ops(fake_inode *i)
{
    while (i->first != NULL) {
        fake_op *op = i->first;
        i->first = op->next;
        free(op->bytes);
        free(op);
    }
    i->last = &i->first;
}

// ---- names

static int find_name(const fake_names *n, const char *name)
{
    for (int i = 0; i < n->count; i++) {
        if (strcmp(n->name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void set_name(fake_names *n, const char *name, fake_inode *inode)
{
    int i = find_name(n, name);
    if (i < 0) {
        ASSERT(n->count < NAMES_MAX && strlen(name) < NAME_MAX_BYTES);
        i = n->count++;
        memcpy(n->name[i], name, strlen(name) + 1);
    }
    n->inode[i] = inode;
}

static void drop_name(fake_names *n, const char *name)
{
    int i = find_name(n, name);
    if (i >= 0) {
        n->count--;
        memmove(n->name[i], n->name[n->count], NAME_MAX_BYTES);
        n->inode[i] = n->inode[n->count];
    }
}

static void apply_change(fake_names *n, const fake_change *c)
{
    if (c->from[0] != '\0') {
        drop_name(n, c->from);
    }
    if (c->to[0] != '\0') {
        set_name(n, c->to, c->inode);
    }
}

static void change_names(fake_disk *d, const char *from, const char *to, fake_inode *inode)
{
    fake_change *c = must(calloc(1, sizeof *c));
    strncpy(c->from, from, sizeof c->from - 1);
    strncpy(c->to, to, sizeof c->to - 1);
    c->inode = inode;
    c->older = d->changes;
    d->changes = c;
    apply_change(d->now, c);
}

static void forget_changes(fake_disk *d)
{
    while (d->changes != NULL) {
        fake_change *c = d->changes;
        d->changes = c->older;
        free(c);
    }
}

// ---- operations

static void trace(const fake_disk *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void trace(const fake_disk *d, const char *format, ...)
{
    if (d->trace) {
        va_list args;
        va_start(args, format);
        fprintf(stderr, "disk %" PRIu64 ": ", d->operations);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
    }
}

static const char *name_of(const fake_disk *d, const fake_inode *inode)
{
    for (int i = 0; i < d->now->count; i++) {
        if (d->now->inode[i] == inode) {
            return d->now->name[i];
        }
    }
    return "(unnamed)";
}

// 0, or the error of this operation.
static int operate(fake_disk *d, bool by_chance)
{
    d->operations++;
    if (d->stopped || (d->crash_at != 0 && d->operations >= d->crash_at)) {
        d->stopped = true;
        return EIO;
    }
    if (d->fail_at != 0 && d->operations >= d->fail_at &&
        d->operations - d->fail_at < d->fail_count) {
        return d->fail_errno;
    }
    bool unlucky =
        by_chance && d->fail_one_in != 0 && fake_random(&d->random) % d->fail_one_in == 0;
    return unlucky ? EIO : 0;
}

static fake_disk *disk_of(disk_file *f)
{
    return (fake_disk *)f->disk;
}

static fake_inode *inode_of(disk_file *f)
{
    return ((fake_file *)f)->inode;
}

static uint64_t used(const fake_disk *d)
{
    uint64_t bytes = 0;
    for (int i = 0; i < d->now->count; i++) {
        bytes += d->now->inode[i]->now.size;
    }
    return bytes;
}

static fake_inode *new_inode(fake_disk *d)
{
    fake_inode *inode = must(calloc(1, sizeof *inode));
    inode->last = &inode->first;
    inode->next = d->inodes;
    d->inodes = inode;
    return inode;
}

static int fake_open(disk *base, const char *name, disk_mode mode, disk_file **out)
{
    fake_disk *d = (fake_disk *)base;
    int found = find_name(d->now, name);
    if (mode == DISK_CREATE) {
        int result = operate(d, true);
        if (result != 0) {
            return result;
        }
        if (found >= 0) {
            resize(&d->now->inode[found]->now, 0);
            add_op(d->now->inode[found], true, 0, NULL, 0);
        } else {
            change_names(d, "", name, new_inode(d));
        }
        found = find_name(d->now, name);
    } else if (d->stopped) {
        return EIO;
    } else if (found < 0) {
        return ENOENT;
    }
    fake_file *f = must(malloc(sizeof *f));
    *f = (fake_file){.base = {base}, .inode = d->now->inode[found]};
    *out = &f->base;
    return 0;
}

static void fake_close(disk_file *f)
{
    free(f);
}

static int fake_read(disk_file *f, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    if (disk_of(f)->stopped) {
        return EIO;
    }
    const bytes_of *b = &inode_of(f)->now;
    uint64_t left = offset < b->size ? b->size - offset : 0;
    *got = left < size ? (size_t)left : size;
    if (*got > 0) {
        memcpy(bytes, b->data + offset, *got);
    }
    return 0;
}

static int fake_write(disk_file *f, uint64_t offset, const void *bytes, size_t size)
{
    fake_disk *d = disk_of(f);
    bool before = d->stopped;
    int result = operate(d, true);
    uint64_t grows =
        offset + size > inode_of(f)->now.size ? offset + size - inode_of(f)->now.size : 0;
    uint64_t used_now = used(d);
    if (result == 0 && d->capacity != 0 && used_now + grows > d->capacity) {
        result = ENOSPC;
        uint64_t room = d->capacity > used_now ? d->capacity - used_now : 0;
        size = size < room ? size : (size_t)room;
    } else if (result != 0) { // a part of the data may have been written
        size = before ? 0 : (size_t)(fake_random(&d->random) % (size + 1));
    }
    trace(d, "write %s, %zu bytes at %" PRIu64 ": %d", name_of(d, inode_of(f)), size, offset,
          result);
    if (size > 0) {
        put_bytes(&inode_of(f)->now, offset, bytes, size);
        add_op(inode_of(f), false, offset, bytes, size);
    }
    return result;
}

static int fake_sync(disk_file *f)
{
    fake_disk *d = disk_of(f);
    int result = operate(d, true);
    fake_inode *i = inode_of(f);
    trace(d, "sync %s: %d", name_of(d, i), result);
    if (result == 0 && !d->skips_sync) {
        // data lost by a failed sync stays lost.
        for (fake_op *op = i->first; op != NULL; op = op->next) {
            if (op->truncation) {
                resize(&i->synced, op->offset);
            } else {
                put_bytes(&i->synced, op->offset, op->bytes, op->size);
            }
        }
        forget_ops(i);
    } else if (result != 0 && !d->stopped) {
        forget_ops(i); // like Linux: the pages are clean from now on, but not on the disk
    }
    return result;
}

static int fake_truncate(disk_file *f, uint64_t size)
{
    int result = operate(disk_of(f), false);
    trace(disk_of(f), "truncate %s to %" PRIu64 ": %d", name_of(disk_of(f), inode_of(f)), size,
          result);
    if (result == 0) {
        resize(&inode_of(f)->now, size);
        add_op(inode_of(f), true, size, NULL, 0);
    }
    return result;
}

static int fake_reserve(disk_file *f, uint64_t from, uint64_t size)
{
    fake_disk *d = disk_of(f);
    fake_inode *i = inode_of(f);
    int result = operate(d, true);
    if (result == 0 && d->capacity != 0 && used(d) + (size - from) > d->capacity) {
        result = ENOSPC;
    }
    trace(d, "reserve %s to %" PRIu64 ": %d", name_of(d, i), size, result);
    if (result != 0 && !d->stopped) { // a part of the data may be on the disk
        size = from + fake_random(&d->random) % (size - from);
        size = d->capacity != 0 && result == ENOSPC ? from : size;
    }
    if (!d->stopped && size > i->now.size) {
        resize(&i->now, size);
        add_op(i, true, size, NULL, 0);
    }
    return result;
}

static int fake_size(disk_file *f, uint64_t *out)
{
    *out = inode_of(f)->now.size;
    return disk_of(f)->stopped ? EIO : 0;
}

static int fake_rename(disk *base, const char *from, const char *to)
{
    fake_disk *d = (fake_disk *)base;
    int result = operate(d, true);
    int found = find_name(d->now, from);
    trace(d, "rename %s to %s: %d", from, to, result);
    if (result == 0 && found < 0) {
        return ENOENT;
    }
    if (result == 0) {
        change_names(d, from, to, d->now->inode[found]);
    }
    return result;
}

static int fake_remove(disk *base, const char *name)
{
    fake_disk *d = (fake_disk *)base;
    int result = operate(d, false);
    trace(d, "remove %s: %d", name, result);
    if (result == 0 && find_name(d->now, name) < 0) {
        return ENOENT;
    }
    if (result == 0) {
        change_names(d, name, "", NULL);
    }
    return result;
}

static int fake_sync_names(disk *base)
{
    fake_disk *d = (fake_disk *)base;
    int result = operate(d, true);
    trace(d, "sync names: %d", result);
    if (result == 0 && !d->skips_sync_names) {
        *d->synced = *d->now;
        forget_changes(d);
    }
    return result;
}

static int fake_list(disk *base, disk_each *each, void *context)
{
    fake_disk *d = (fake_disk *)base;
    if (d->stopped) {
        return EIO;
    }
    for (int i = 0; i < d->now->count; i++) {
        each(context, d->now->name[i]);
    }
    return 0;
}

static int fake_lock(disk *base, bool make, long *holder)
{
    (void)make;
    fake_disk *d = (fake_disk *)base;
    *holder = 4711;
    if (d->locked) {
        return EWOULDBLOCK;
    }
    d->locked = true;
    return 0;
}

static void fake_destroy(disk *base)
{
    ((fake_disk *)base)->locked = false; // the disk outlives the storage
}

static const disk_methods FAKE = {
    .open = fake_open,
    .close = fake_close,
    .read = fake_read,
    .write = fake_write,
    .sync = fake_sync,
    .truncate = fake_truncate,
    .reserve = fake_reserve,
    .size = fake_size,
    .rename = fake_rename,
    .remove = fake_remove,
    .sync_names = fake_sync_names,
    .list = fake_list,
    .lock = fake_lock,
    .destroy = fake_destroy,
};

// ---- life

void fake_disk_init(fake_disk *d, uint64_t seed)
{
    *d = (fake_disk){.base = {&FAKE}, .random = seed};
    d->now = must(calloc(1, sizeof *d->now));
    d->synced = must(calloc(1, sizeof *d->synced));
}

void fake_disk_deinit(fake_disk *d)
{
    while (d->inodes != NULL) {
        fake_inode *i = d->inodes;
        d->inodes = i->next;
        forget_ops(i);
        free(i->now.data);
        free(i->synced.data);
        free(i);
    }
    forget_changes(d);
    free(d->now);
    free(d->synced);
}

static void survive(fake_disk *d, fake_inode *i, bool random)
{
    for (fake_op *op = i->first; random && op != NULL; op = op->next) {
        if (op->truncation) {
            if (fake_random(&d->random) % 2 == 0) {
                resize(&i->synced, op->offset);
            }
            continue;
        }
        // none, all, or each sector by itself (twice as likely)
        uint64_t outcome = fake_random(&d->random) % 4;
        for (uint64_t at = 0; at < op->size;) {
            uint64_t end = (op->offset + at) / SECTOR * SECTOR + SECTOR - op->offset;
            end = end < op->size ? end : op->size;
            if (outcome == 1 || (outcome > 1 && fake_random(&d->random) % 2 == 0)) {
                put_bytes(&i->synced, op->offset + at, op->bytes + at, end - at);
            }
            at = end;
        }
    }
    copy_bytes(&i->now, &i->synced);
    forget_ops(i);
}

// The oldest first, each with its own probability.
static void survive_names(fake_disk *d, const fake_change *newest)
{
    if (newest != NULL) {
        survive_names(d, newest->older);
        if (fake_random(&d->random) % 2 == 0) {
            apply_change(d->synced, newest);
        }
    }
}

void fake_disk_crash(fake_disk *d, crash_kind kind)
{
    ASSERT(!d->locked);
    trace(d, "crash of kind %d", (int)kind);
    if (kind != CRASH_PROCESS) {
        bool random = kind == CRASH_POWER_RANDOM;
        for (fake_inode *i = d->inodes; i != NULL; i = i->next) {
            survive(d, i, random);
        }
        if (random) {
            survive_names(d, d->changes);
        }
        *d->now = *d->synced;
        forget_changes(d);
    }
    d->stopped = false;
    d->crash_at = 0;
    d->fail_at = 0;
    d->fail_one_in = 0;
}

// ---- looking and meddling

uint8_t *fake_disk_bytes(fake_disk *d, const char *name, uint64_t *size)
{
    int found = find_name(d->now, name);
    if (found < 0) {
        return NULL;
    }
    *size = d->now->inode[found]->now.size;
    return d->now->inode[found]->now.data;
}

void fake_disk_flip(fake_disk *d, const char *name, uint64_t offset, uint8_t mask)
{
    uint64_t size = 0;
    uint8_t *bytes = fake_disk_bytes(d, name, &size);
    ASSERT(bytes != NULL && offset < size);
    bytes[offset] ^= mask;
}

void fake_disk_cut(fake_disk *d, const char *name, uint64_t size)
{
    int found = find_name(d->now, name);
    ASSERT(found >= 0);
    resize(&d->now->inode[found]->now, size);
}

void fake_disk_remove(fake_disk *d, const char *name)
{
    drop_name(d->now, name);
}

void fake_disk_each(fake_disk *d, disk_each *each, void *context)
{
    for (int i = 0; i < d->now->count; i++) {
        each(context, d->now->name[i]);
    }
}

void fake_disk_copy(fake_disk *to, fake_disk *from)
{
    fake_disk_init(to, from->random);
    for (int i = 0; i < from->now->count; i++) {
        fake_inode *inode = new_inode(to);
        copy_bytes(&inode->now, &from->now->inode[i]->now);
        copy_bytes(&inode->synced, &from->now->inode[i]->now);
        set_name(to->now, from->now->name[i], inode);
    }
    *to->synced = *to->now;
}
