// The account of memory: bounds of the process and of a holder, charges that change, accounts of
// worlds, and how much the machine or its control groups allow.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/memory.h"

enum { MB = 1 << 20 };

static int unbounded(void **state)
{
    (void)state;
    memory_begin(0, 0);
    return 0;
}

static void nothing_is_left(void)
{
    for (int use = 0; use < MEMORY_USES; use++) {
        assert_int_equal(memory_of((memory_use)use), 0);
    }
    memory_end();
}

static void without_a_bound_all_is_counted_and_nothing_refused(void **state)
{
    (void)state;
    assert_int_equal(memory_take(MEMORY_views, NULL, (uint64_t)1 << 50, NULL), STATUS_OK);
    assert_true(memory_of(MEMORY_views) == (uint64_t)1 << 50);
    assert_true(memory_used() == (uint64_t)1 << 50);
    memory_note(MEMORY_views, NULL, -((int64_t)1 << 50));
    nothing_is_left();
}

// Memory outside the account counts too, and part of the bound is reserved.
static void process_has_its_bound(void **state)
{
    (void)state;
    error err;
    const uint64_t much = ((uint64_t)14 << 30) + MB; // not all builds see uncounted memory
    memory_begin((uint64_t)16 << 30, 0);
    assert_int_equal(memory_take(MEMORY_making, NULL, much, &err), STATUS_OK);
    assert_int_equal(memory_take(MEMORY_views, NULL, (uint64_t)1 << 30, &err),
                     STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "memory: the server uses 15"));
    assert_non_null(strstr(err.text, "1073 MB would be added"));
    assert_non_null(strstr(err.text, "at most 16.1 GB of --memory"));
    assert_int_equal(memory_of(MEMORY_views), 0);
    assert_int_equal(memory_take(MEMORY_views, NULL, 0, &err), STATUS_OK);
    memory_note(MEMORY_making, NULL, -(int64_t)much);
    assert_int_equal(memory_take(MEMORY_views, NULL, (uint64_t)1 << 30, &err), STATUS_OK);
    memory_note(MEMORY_views, NULL, -((int64_t)1 << 30));
    nothing_is_left();
}

#ifndef CAROM_SANITIZED
static void memory_that_nobody_counts_is_in_use(void **state)
{
    (void)state;
    char *uncounted = malloc(64 * MB);
    assert_non_null(uncounted);
    memset(uncounted, 1, 64 * MB);
    memory_begin(64 * MB, 0);
    assert_int_equal(memory_ask(NULL, 1, NULL), STATUS_LIMIT_EXCEEDED);
    assert_true(memory_used() > 64 * MB);
    free(uncounted);
    nothing_is_left();
}
#endif

static void bytes_have_three_figures(void **state)
{
    (void)state;
    char text[MEMORY_TEXT_MAX];
    assert_string_equal(memory_text(177, text), "177 B");
    assert_string_equal(memory_text(1500, text), "1.5 kB");
    assert_string_equal(memory_text(1500000, text), "1.5 MB");
    assert_string_equal(memory_text(1500000000, text), "1500 MB");
    assert_string_equal(memory_text(15000000000, text), "15.0 GB");
}

static void holder_has_its_bound(void **state)
{
    (void)state;
    error err;
    memory_begin(0, 10 * MB);
    memory_holder *ann = memory_holder_create();
    memory_holder *bob = memory_holder_create();
    assert_int_equal(memory_take(MEMORY_views, ann, 10 * MB, &err), STATUS_OK);
    assert_int_equal(memory_take(MEMORY_views, ann, 1, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "holder_bytes: subscriptions of this subject"));
    assert_int_equal(memory_holder_bytes(ann), 10 * MB);
    assert_int_equal(memory_take(MEMORY_views, bob, 10 * MB, &err), STATUS_OK);
    assert_int_equal(memory_of(MEMORY_views), 20 * MB);
    memory_note(MEMORY_views, ann, -10 * MB);
    memory_note(MEMORY_views, bob, -10 * MB);
    memory_holder_unref(ann);
    memory_holder_unref(bob);
    nothing_is_left();
}

static void charge_grows_if_it_may_and_moves_as_a_whole(void **state)
{
    (void)state;
    error err;
    memory_begin(0, 10 * MB);
    memory_holder *ann = memory_holder_create();
    memory_holder *bob = memory_holder_create();
    memory_charge c;
    memory_charge_begin(&c, MEMORY_views, ann);
    assert_int_equal(memory_charge_set(&c, 6 * MB, &err), STATUS_OK);
    assert_int_equal(memory_charge_set(&c, 11 * MB, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(c.bytes, 6 * MB);
    memory_charge_note(&c, 12 * MB);                                   // it has that size already
    assert_int_equal(memory_charge_set(&c, 11 * MB, &err), STATUS_OK); // smaller than before
    memory_charge_move(&c, bob);
    assert_int_equal(memory_holder_bytes(ann), 0);
    assert_int_equal(memory_holder_bytes(bob), 11 * MB);
    memory_charge_move(&c, bob);
    assert_int_equal(memory_of(MEMORY_views), 11 * MB);
    memory_holder_unref(ann);
    memory_holder_unref(bob); // the charge keeps its own reference
    memory_charge_end(&c);
    nothing_is_left();
}

static void blocks_of_worlds_are_memory_for_worlds(void **state)
{
    (void)state;
    block_account *world = memory_world_begin();
    block_account *before = block_charge(world);
    void *block = block_take(MB);
    assert_int_equal(world->bytes, MB);
    assert_int_equal(memory_of(MEMORY_worlds), MB);
    block_give_back(block, MB);
    block_charge(before);
    memory_world_end(world);
    nothing_is_left();
}

static void trim_is_due_when_much_was_given_back(void **state)
{
    (void)state;
    assert_false(memory_trim_due());
    memory_note(MEMORY_commands, NULL, 40 * MB);
    assert_false(memory_trim_due());
    memory_note(MEMORY_commands, NULL, -20 * MB);
    assert_false(memory_trim_due());
    memory_note(MEMORY_commands, NULL, -20 * MB);
    assert_true(memory_trim_due());
    memory_trim();
    assert_false(memory_trim_due());
    nothing_is_left();
}

// ---- the machine's memory, in a root of files

static char root[64];

static void put(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/carom-memory-XXXXXX");
    assert_non_null(mkdtemp(root));
    put("proc/meminfo", "MemTotal:        1024 kB\nMemFree:         512 kB\n");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void machine_without_groups_has_its_own(void **state)
{
    (void)state;
    assert_int_equal(memory_of_machine(root), MB);
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    assert_int_equal(memory_of_machine(root), MB);
    assert_int_equal(memory_of_machine("/nowhere"), 0);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
static bool meminfo_is_hidden;

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return meminfo_is_hidden && strcmp(path, "/proc/meminfo") == 0 ? NULL
                                                                   : __real_fopen(path, mode);
}

// As under systemd with ProcSubset=pid, which the unit has.
static void machine_that_hides_meminfo_has_the_same_memory(void **state)
{
    (void)state;
    const uint64_t seen = memory_of_machine("");
    meminfo_is_hidden = true;
    const uint64_t asked = memory_of_machine("");
    meminfo_is_hidden = false;
    assert_true(seen > 0);
    assert_int_equal(asked, seen);
}

static void groups_of_version_2_bound_those_in_them(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/system/caromd\n");
    put("sys/fs/cgroup/system/caromd/memory.max", "max\n");
    put("sys/fs/cgroup/system/memory.max", "65536\n");
    assert_int_equal(memory_of_machine(root), 65536);
    put("sys/fs/cgroup/system/caromd/memory.max", "4096\n");
    assert_int_equal(memory_of_machine(root), 4096);
    put("sys/fs/cgroup/system/caromd/memory.max", "9223372036854771712\n");
    assert_int_equal(memory_of_machine(root), 65536);
}

// Within a container, its own group is the root.
static void groups_of_version_1_bound_those_in_them(void **state)
{
    (void)state;
    put("proc/self/cgroup", "11:cpu,memory_recursiveprot:/other\n9:memory:/docker/abc\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "32768\n");
    assert_int_equal(memory_of_machine(root), 32768);
    put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "8192\n");
    assert_int_equal(memory_of_machine(root), 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_a_bound_all_is_counted_and_nothing_refused, unbounded),
        cmocka_unit_test_setup(process_has_its_bound, unbounded),
#ifndef CAROM_SANITIZED
        cmocka_unit_test_setup(memory_that_nobody_counts_is_in_use, unbounded),
#endif
        cmocka_unit_test_setup(bytes_have_three_figures, unbounded),
        cmocka_unit_test_setup(holder_has_its_bound, unbounded),
        cmocka_unit_test_setup(charge_grows_if_it_may_and_moves_as_a_whole, unbounded),
        cmocka_unit_test_setup(blocks_of_worlds_are_memory_for_worlds, unbounded),
        cmocka_unit_test_setup(trim_is_due_when_much_was_given_back, unbounded),
        cmocka_unit_test_setup_teardown(machine_without_groups_has_its_own, make_root, remove_root),
        cmocka_unit_test_setup_teardown(machine_that_hides_meminfo_has_the_same_memory, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(groups_of_version_2_bound_those_in_them, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(groups_of_version_1_bound_those_in_them, make_root,
                                        remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
