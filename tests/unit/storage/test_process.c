// Real directories, real processes: the lock, missing rights, a limit on the size of files, kill -9
// at any instant, backup and restore.
//
// Usage: test_storage_process [KILLS]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/storage/storage.h"
#include "tests/unit/storage/fake_disk.h"

enum { PATH_BYTES = 256, NOBODY = 65534 };

static int kills = 25;

typedef struct fixture {
    char folder[64];
    char data[PATH_BYTES];
    char backup[PATH_BYTES];
    char other[PATH_BYTES];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/carom-storage-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_int_equal(chmod(f->folder, 0777), 0);
    snprintf(f->data, sizeof f->data, "%s/data", f->folder);
    snprintf(f->backup, sizeof f->backup, "%s/backup", f->folder);
    snprintf(f->other, sizeof f->other, "%s/other", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char command[PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int result = system(command);
    free(f);
    return result;
}

static storage *open_at(const char *path)
{
    storage_options o = storage_options_default();
    storage *s;
    error err;
    status result = storage_open(path, &o, &s, &err);
    if (result != STATUS_OK) {
        print_message("%s\n", err.text);
    }
    assert_int_equal(result, STATUS_OK);
    return s;
}

static shared_bytes *record_of(uint64_t sequence)
{
    shared_bytes *b = bytes_create(64 + sequence % 500);
    b->size = 64 + sequence % 500;
    memset(b->data, (int)(sequence % 251), b->size);
    return b;
}

static status append_next(storage_world *w, uint64_t *sequence, error *err)
{
    shared_bytes *b = record_of(*sequence + 1);
    status s = storage_append(w, *sequence, *sequence, NULL, b, sequence, err);
    bytes_unref(b);
    return s;
}

typedef struct seen {
    storage_world *world;
    uint64_t sequence, next, records, image_bytes;
    bool wrong;
} seen;

static status see_world(void *context, storage_world *w, const storage_info *info, error *err)
{
    seen *v = context;
    (void)err;
    v->world = w;
    v->sequence = info->sequence;
    v->next = info->has_image ? info->image_sequence + 1 : 2;
    return STATUS_OK;
}

static status see_image(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                        size_t size, error *err)
{
    seen *v = context;
    (void)w;
    (void)err;
    (void)offset;
    (void)bytes;
    v->image_bytes += size;
    return STATUS_OK;
}

static status see_record(void *context, storage_world *w, const storage_record *r, error *err)
{
    seen *v = context;
    (void)w;
    (void)err;
    shared_bytes *b = record_of(r->sequence);
    v->wrong = v->wrong || r->sequence != v->next || r->size != b->size ||
               memcmp(r->bytes, b->data, b->size) != 0;
    bytes_unref(b);
    v->next++;
    v->records++;
    return STATUS_OK;
}

static seen recover(storage *s)
{
    seen v = {0};
    storage_visitor visitor = {&v, see_world, see_image, see_record};
    error err;
    assert_int_equal(storage_recover(s, &visitor, &err), STATUS_OK);
    assert_false(v.wrong);
    return v;
}

static storage_world *make_world(storage *s, int records)
{
    storage_world *w;
    error err;
    assert_int_equal(storage_create(s, "world", 1, STORAGE_FULL, &w, &err), STATUS_OK);
    uint64_t sequence = 1;
    for (int i = 0; i < records; i++) {
        assert_int_equal(append_next(w, &sequence, &err), STATUS_OK);
        (void)storage_turn(s);
    }
    return w;
}

static void close_at(storage *s)
{
    error err;
    assert_int_equal(storage_close(s, &err), STATUS_OK);
}

// ---- rights and locks

static void second_process_on_the_same_directory_is_told_the_first(void **state)
{
    fixture *f = *state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)open_at(f->data);
        (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    storage_options o = storage_options_default();
    storage *s;
    error err;
    char expected[64];
    snprintf(expected, sizeof expected, "process %d", (int)child);
    assert_int_equal(storage_open(f->data, &o, &s, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, expected));
    assert_non_null(strstr(err.text, f->data));
    storage_report report;
    assert_int_equal(storage_check(f->data, NULL, &report, &err), STATUS_UNAVAILABLE);
    char file[PATH_BYTES + 8];
    snprintf(file, sizeof file, "%s/lock", f->data);
    assert_int_equal(unlink(file), 0);
    for (int i = 0; i < 2; i++) { // the second one must not find a file made by the first
        assert_int_equal(storage_open(f->data, &o, &s, &err), STATUS_UNAVAILABLE);
        assert_non_null(strstr(err.text, "in use by another process"));
        assert_int_equal(storage_check(f->data, NULL, &report, &err), STATUS_UNAVAILABLE);
        assert_non_null(strstr(err.text, "in use by another process"));
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    close_at(open_at(f->data)); // the lock ended with the process
}

// Runs `body` without root's rights. True: it returned true.
static bool as_nobody(bool (*body)(const fixture *f), const fixture *f)
{
    pid_t child = fork();
    if (child == 0) {
        bool dropped = geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
        _exit(dropped && body(f) ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static bool opens_read_only(const fixture *f)
{
    storage_options o = storage_options_default();
    storage *s;
    error err;
    storage_report report;
    return storage_open(f->data, &o, &s, &err) == STATUS_UNAVAILABLE &&
           strstr(err.text, "ermission denied") == NULL && strstr(err.text, "right to write") &&
           storage_check(f->data, NULL, &report, &err) == STATUS_OK && report.records == 5;
}

static void read_only_directory_is_refused_and_can_be_checked(void **state)
{
    fixture *f = *state;
    storage *s = open_at(f->data);
    make_world(s, 5);
    close_at(s);
    char command[PATH_BYTES * 2];
    snprintf(command, sizeof command, "chmod -R a+rX,a-w %s", f->data);
    assert_int_equal(system(command), 0);
    assert_true(as_nobody(opens_read_only, f));
    snprintf(command, sizeof command, "chmod -R u+w %s", f->data);
    assert_int_equal(system(command), 0);
}

static bool cannot_be_made(const fixture *f)
{
    storage_options o = storage_options_default();
    storage *s;
    error err;
    char path[PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/below", f->data);
    return storage_open(path, &o, &s, &err) == STATUS_UNAVAILABLE && strstr(err.text, path) &&
           strstr(err.text, "Permission denied");
}

static void directory_that_cannot_be_made_is_told(void **state)
{
    fixture *f = *state;
    assert_int_equal(mkdir(f->data, 0555), 0);
    assert_true(as_nobody(cannot_be_made, f));
}

static bool fills_up(const fixture *f)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {20000, 20000};
    setrlimit(RLIMIT_FSIZE, &limit);
    storage_options o = storage_options_default();
    storage *s;
    storage_world *w;
    error err;
    uint64_t sequence = 1;
    if (storage_open(f->data, &o, &s, &err) != STATUS_OK ||
        storage_create(s, "world", 1, STORAGE_FULL, &w, &err) != STATUS_OK) {
        return false;
    }
    while (append_next(w, &sequence, &err) == STATUS_OK) {
        (void)storage_turn(s);
    }
    bool told = strstr(err.text, "File too large") != NULL &&
                storage_committed(w) + 1 == sequence && sequence > 40;
    return told && storage_close(s, &err) == STATUS_OK;
}

static void file_that_may_not_grow_fails_the_world_and_keeps_what_was_committed(void **state)
{
    fixture *f = *state;
    assert_true(as_nobody(fills_up, f));
    storage *s = open_at(f->data);
    seen v = recover(s);
    assert_int_equal(v.records, v.sequence - 1);
    assert_true(v.records > 40);
    close_at(s);
}

// ---- kill -9

// Appends forever, and reports committed records. The disk may be behind: then a record is tried
// again.
static void append_until_killed(const fixture *f, int out)
{
    storage_options o = storage_options_default();
    o.segment_bytes = 20000;
    o.queue_bytes = 50000;
    storage *s;
    error err;
    if (storage_open(f->data, &o, &s, &err) != STATUS_OK) {
        _exit(1);
    }
    seen v = recover(s);
    if (storage_start(s, &err) != STATUS_OK) {
        _exit(1);
    }
    storage_world *w = v.world;
    uint64_t sequence = v.sequence;
    if (w == NULL) {
        sequence = 1;
        if (storage_create(s, "world", 1, STORAGE_NORMAL, &w, &err) != STATUS_OK) {
            _exit(1);
        }
    }
    for (;;) {
        for (int i = 0; i < 5; i++) {
            status appended = append_next(w, &sequence, &err);
            while (appended == STATUS_LIMIT_EXCEEDED) {
                usleep(1000);
                appended = append_next(w, &sequence, &err);
            }
            if (appended != STATUS_OK) {
                _exit(2);
            }
        }
        if (sequence % 7 == 0) {
            shared_bytes *image = bytes_create(500000);
            image->size = 500000;
            memset(image->data, 'i', image->size);
            (void)storage_checkpoint(w, sequence, NULL, image, &err);
            bytes_unref(image);
        }
        uint64_t committed = storage_committed(w);
        if (write(out, &committed, sizeof committed) != sizeof committed) {
            _exit(3);
        }
    }
}

static void kill_at_any_instant_loses_nothing_committed(void **state)
{
    fixture *f = *state;
    uint64_t random = (uint64_t)time(NULL);
    uint64_t before = 0;
    uint64_t served = 0;
    print_message("seed %" PRIu64 "\n", random);
    for (int i = 0; i < kills; i++) {
        int told[2];
        assert_int_equal(pipe(told), 0);
        pid_t child = fork();
        if (child == 0) {
            close(told[0]);
            append_until_killed(f, told[1]);
        }
        close(told[1]);
        uint64_t committed = before;
        uint64_t value;
        // Half of the processes commit something first; the others may be killed during their
        // start.
        bool serves = fake_random(&random) % 2 == 0;
        while (serves && committed <= before && read(told[0], &value, sizeof value) > 0) {
            committed = value;
        }
        served += serves;
        struct timespec pause_for = {.tv_nsec = (long)(fake_random(&random) % 40000000)};
        nanosleep(&pause_for, NULL);
        kill(child, SIGKILL);
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFSIGNALED(result));
        assert_int_equal(WTERMSIG(result), SIGKILL);
        while (read(told[0], &value, sizeof value) == sizeof value) {
            committed = value;
        }
        close(told[0]);
        storage *s = open_at(f->data);
        seen v = recover(s);
        assert_true(v.sequence >= committed);
        before = v.sequence;
        close_at(s);
    }
    assert_true(before >= served);
}

// ---- backup and restore

static void backup_of_a_serving_storage_is_restored(void **state)
{
    fixture *f = *state;
    storage *s = open_at(f->data);
    error err;
    storage_world *w = make_world(s, 20);
    shared_bytes *image = bytes_create(700000);
    image->size = 700000;
    memset(image->data, 'i', image->size);
    assert_int_equal(storage_checkpoint(w, 30, NULL, image, &err), STATUS_OK);
    bytes_unref(image);
    assert_int_equal(storage_start(s, &err), STATUS_OK);
    while (storage_checkpoint_state(w, &err) != STATUS_OK) {
        usleep(1000);
    }
    uint64_t sequence = 21;
    for (int i = 0; i < 30; i++) {
        shared_bytes *b = record_of(sequence + 1);
        assert_int_equal(storage_append(w, 30, 30, NULL, b, &sequence, &err), STATUS_OK);
        bytes_unref(b);
    }
    while (storage_committed(w) < sequence) {
        usleep(1000);
    }
    storage_report report;
    assert_int_equal(storage_copy(f->data, f->backup, &report, &err), STATUS_OK);
    assert_int_equal(storage_copy(f->data, f->backup, &report, &err), STATUS_ALREADY_EXISTS);
    assert_int_equal(report.worlds, 1);
    assert_int_equal(report.image_bytes, 700000);
    close_at(s);
    assert_int_equal(storage_restore(f->backup, f->data, &err), STATUS_ALREADY_EXISTS);
    assert_int_equal(storage_restore(f->backup, f->other, &err), STATUS_OK);
    s = open_at(f->other);
    seen v = recover(s);
    assert_int_equal(v.image_bytes, 700000);
    assert_int_equal(v.records, 30);
    close_at(s);
}

static void backup_that_was_cut_or_changed_is_refused(void **state)
{
    fixture *f = *state;
    storage *s = open_at(f->data);
    error err;
    make_world(s, 3);
    storage_report report;
    assert_int_equal(storage_copy(f->data, f->backup, &report, &err), STATUS_OK);
    close_at(s);
    FILE *file = fopen(f->backup, "rb");
    assert_non_null(file);
    uint8_t bytes[8192];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 100, sizeof bytes - 1);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] ^= 0x10;
        file = fopen(f->backup, "wb");
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        assert_int_not_equal(storage_restore(f->backup, f->other, &err), STATUS_OK);
        bytes[i] ^= 0x10;
        file = fopen(f->backup, "wb");
        assert_int_equal(fwrite(bytes, 1, i, file), i);
        fclose(file);
        assert_int_not_equal(storage_restore(f->backup, f->other, &err), STATUS_OK);
        assert_non_null(strstr(err.text, "backup"));
        assert_int_equal(access(f->other, F_OK), -1); // no directory was made
    }
}

int main(int argc, char **argv)
{
    kills = argc > 1 ? atoi(argv[1]) : kills;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(second_process_on_the_same_directory_is_told_the_first,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(read_only_directory_is_refused_and_can_be_checked, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(directory_that_cannot_be_made_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(
            file_that_may_not_grow_fails_the_world_and_keeps_what_was_committed, setup, teardown),
        cmocka_unit_test_setup_teardown(kill_at_any_instant_loses_nothing_committed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(backup_of_a_serving_storage_is_restored, setup, teardown),
        cmocka_unit_test_setup_teardown(backup_that_was_cut_or_changed_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
