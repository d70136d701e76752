// The tree of boxes against a plain list: queries and rays, over random insertions, removals, moves
// and refreshes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/tree.h"

enum { ITEMS = 400 };

typedef struct item {
    aabb box;
    uint32_t leaf; // 0: not in the tree
} item;

typedef struct fixture {
    tree tree;
    item items[ITEMS];
    bool seen[ITEMS];
    uint32_t random;
} fixture;

static float uniform(fixture *f, float low, float high)
{
    f->random = f->random * 1664525u + 1013904223u;
    return low + (high - low) * (float)(f->random >> 8) / 16777216.0f;
}

static aabb random_box(fixture *f)
{
    vec2 p = {uniform(f, -50.0f, 50.0f), uniform(f, -50.0f, 50.0f)};
    return (aabb){p, {p.x + uniform(f, 0.0f, 5.0f), p.y + uniform(f, 0.0f, 5.0f)}};
}

static bool note(void *context, uint32_t i)
{
    fixture *f = context;
    assert_false(f->seen[i]); // each only once
    f->seen[i] = true;
    return true;
}

static float note_ray(void *context, uint32_t i, float fraction)
{
    note(context, i);
    return fraction;
}

static void change_something(fixture *f)
{
    item *it = &f->items[(uint32_t)uniform(f, 0.0f, ITEMS - 0.5f)];
    if (it->leaf == 0) {
        it->box = random_box(f);
        it->leaf = tree_insert(&f->tree, it->box, (uint32_t)(it - f->items));
        return;
    }
    float what = uniform(f, 0.0f, 3.0f);
    if (what < 1.0f) {
        tree_remove(&f->tree, it->leaf);
        it->leaf = 0;
    } else if (what < 2.0f) {
        it->box = random_box(f);
        tree_move(&f->tree, it->leaf, it->box);
    } else {
        it->box = aabb_union(it->box, aabb_expand(it->box, 0.2f));
        tree_enlarge(&f->tree, it->leaf, it->box);
    }
}

static void check_query(fixture *f)
{
    aabb box = random_box(f);
    memset(f->seen, 0, sizeof f->seen);
    tree_query(&f->tree, box, note, f);
    for (int i = 0; i < ITEMS; i++) {
        bool expected = f->items[i].leaf != 0 && aabb_overlaps(f->items[i].box, box);
        assert_int_equal(f->seen[i], expected);
    }
}

static void check_ray(fixture *f)
{
    vec2d from = {(double)uniform(f, -60.0f, 60.0f), (double)uniform(f, -60.0f, 60.0f)};
    vec2d by = {(double)uniform(f, -80.0f, 80.0f), (double)uniform(f, -80.0f, 80.0f)};
    memset(f->seen, 0, sizeof f->seen);
    tree_ray(&f->tree, from, by, (vec2){0.0f, 0.0f}, 1.0f, note_ray, f);
    for (int i = 0; i < ITEMS; i++) {
        if (f->items[i].leaf == 0) {
            continue;
        }
        // A point well inside the box that the ray passes through must have been found.
        for (int k = 0; k <= 200; k++) {
            double t = k / 200.0;
            float x = (float)(from.x + t * by.x);
            float y = (float)(from.y + t * by.y);
            aabb b = f->items[i].box;
            if (x > b.lower.x + 1e-3f && x < b.upper.x - 1e-3f && y > b.lower.y + 1e-3f &&
                y < b.upper.y - 1e-3f) {
                assert_true(f->seen[i]);
            }
        }
    }
}

static void random_changes_answer_as_a_plain_list_does(void **state)
{
    (void)state;
    fixture f = {.random = 4711};
    tree_init(&f.tree);
    for (int round = 0; round < 20000; round++) {
        change_something(&f);
        if (round % 100 == 0) {
            tree_refresh(&f.tree);
            tree_validate(&f.tree);
        }
        if (round % 50 == 0) {
            check_query(&f);
            check_ray(&f);
        }
    }
    tree_deinit(&f.tree);
}

static void sorted_insertion_stays_shallow(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    for (int i = 0; i < 20000; i++) {
        float x = (float)i * 2.0f;
        tree_insert(&t, (aabb){{x, 0.0f}, {x + 1.0f, 1.0f}}, (uint32_t)i);
    }
    assert_true(tree_validate(&t) < 40);
    tree_deinit(&t);
}

static void refresh_of_moved_leaves_stays_shallow(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    uint32_t leaves[4096];
    for (uint32_t i = 0; i < 4096; i++) {
        float x = (float)(i % 64);
        float y = (float)(i / 64);
        leaves[i] = tree_insert(&t, (aabb){{x, y}, {x + 0.5f, y + 0.5f}}, i);
    }
    for (int step = 1; step <= 50; step++) {
        for (uint32_t i = 0; i < 4096; i++) {
            float x = (float)(i % 64) + (float)step * 0.1f * (float)(i % 3);
            float y = (float)(i / 64);
            tree_enlarge(&t, leaves[i], (aabb){{x, y}, {x + 0.5f, y + 0.5f}});
        }
        tree_refresh(&t);
        assert_true(tree_validate(&t) < 40);
    }
    tree_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_answer_as_a_plain_list_does),
        cmocka_unit_test(sorted_insertion_stays_shallow),
        cmocka_unit_test(refresh_of_moved_leaves_stays_shallow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
