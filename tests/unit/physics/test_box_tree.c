// The tree of boxes, compared with a plain list: queries, rays and new pairs, over random
// insertions, removals, moves and refreshes; and the tree's depth and the size of its boxes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/state/broad_phase/tree.h"

enum { ITEMS = 400 };

typedef struct item {
    aabb box, before; // the present box, and that of the last refresh
    int32_t group;
    bool there;
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
    assert_false(f->seen[i]); // each item is found only once
    f->seen[i] = true;
    return true;
}

static float note_ray(void *context, uint32_t i, float fraction)
{
    note(context, i);
    return fraction;
}

static const aabb NOWHERE = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

static void change_something(fixture *f)
{
    uint32_t i = (uint32_t)uniform(f, 0.0f, ITEMS - 0.5f);
    item *it = &f->items[i];
    if (!it->there) {
        bool known = uniform(f, 0.0f, 1.0f) < 0.1f;
        it->box = random_box(f);
        it->before = known ? it->box : NOWHERE;
        it->group = (int32_t)uniform(f, -3.0f, 3.0f);
        it->there = true;
        tree_insert(&f->tree, i, it->box, it->group, known);
    } else if (uniform(f, 0.0f, 2.0f) < 1.0f) {
        tree_remove(&f->tree, i);
        it->there = false;
    } else {
        float x = uniform(f, -0.5f, 0.5f);
        float y = uniform(f, -0.5f, 0.5f);
        it->box = (aabb){{it->box.lower.x + x, it->box.lower.y + y},
                         {it->box.upper.x + x, it->box.upper.y + y}};
        tree_enlarge(&f->tree, i, it->box);
    }
}

static void check_query(fixture *f)
{
    aabb box = random_box(f);
    memset(f->seen, 0, sizeof f->seen);
    tree_query(&f->tree, box, note, f);
    for (int i = 0; i < ITEMS; i++) {
        bool expected = f->items[i].there && aabb_overlaps(f->items[i].box, box);
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
        if (!f->items[i].there) {
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

static bool came_to_overlap(const item *a, const item *b)
{
    return a->there && b->there && aabb_overlaps(a->box, b->box) &&
           !aabb_overlaps(a->before, b->before) && !(a->group < 0 && a->group == b->group);
}

static void mark_pairs(const item_pairs *pairs, bool *found)
{
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t low = pairs->data[i].a < pairs->data[i].b ? pairs->data[i].a : pairs->data[i].b;
        uint32_t high = pairs->data[i].a + pairs->data[i].b - low;
        assert_false(found[low * ITEMS + high]); // each pair is found only once
        found[low * ITEMS + high] = true;
    }
}

static bool never_cut(void *context, item_pairs *pairs)
{
    (void)context;
    fail_msg("cut at %u pairs", pairs->count);
    return false;
}

static pair_list uncut(item_pairs *pairs)
{
    return (pair_list){pairs, UINT32_MAX, never_cut, NULL};
}

// Collects the pairs of a tree with another one (or itself), in one walk or in parts.
static void walk(const tree *a, const tree *b, bool in_parts, const pair_list *list)
{
    if (!in_parts) {
        tree_new_pairs(a, b, list);
        return;
    }
    tree_task tasks[TREE_TASKS_MIN];
    uint32_t count = tree_divide(a, b, tasks, TREE_TASKS_MIN, list);
    for (uint32_t i = count; i > 0; i--) {
        tree_do_task(a, b, tasks[i - 1], list);
    }
}

static void list_pairs(const tree *a, const tree *b, bool in_parts, item_pairs *pairs)
{
    const pair_list list = uncut(pairs);
    array_clear(pairs);
    walk(a, b, in_parts, &list);
}

static void check_pairs(const fixture *f, bool in_parts)
{
    static bool found[ITEMS * ITEMS];
    item_pairs pairs = {0};
    memset(found, 0, sizeof found);
    list_pairs(&f->tree, &f->tree, in_parts, &pairs);
    mark_pairs(&pairs, found);
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t k = i + 1; k < ITEMS; k++) {
            assert_int_equal(found[i * ITEMS + k], came_to_overlap(&f->items[i], &f->items[k]));
        }
    }
    array_free(&pairs);
}

static void refresh(fixture *f)
{
    tree_refresh(&f->tree);
    for (int i = 0; i < ITEMS; i++) {
        f->items[i].before = f->items[i].box;
    }
}

static void random_changes_answer_as_a_plain_list_does(void **state)
{
    (void)state;
    fixture f = {.random = 4711};
    tree_init(&f.tree);
    for (int round = 0; round < 20000; round++) {
        change_something(&f);
        if (round % 50 == 0) {
            check_query(&f);
            check_ray(&f);
            tree_validate(&f.tree);
        }
        if (round % 100 == 0) {
            check_pairs(&f, false);
            check_pairs(&f, true);
            refresh(&f);
            tree_validate(&f.tree);
            check_pairs(&f, false); // no pair is new
        }
    }
    tree_deinit(&f.tree);
}

static void tree_filled_at_once_answers_as_a_plain_list_does(void **state)
{
    (void)state;
    const int counts[] = {0, 1, 2, 8, 9, ITEMS / 2};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        fixture f = {.random = 99};
        tree_init(&f.tree);
        for (int i = 0; i < counts[k]; i++) {
            item *it = &f.items[i];
            *it = (item){.box = random_box(&f), .group = i % 7 - 3, .there = true};
            it->before = it->box;
            tree_put(&f.tree, (uint32_t)i, it->box, it->group);
        }
        tree_fill(&f.tree);
        tree_validate(&f.tree);
        check_pairs(&f, false); // all pairs are known, so none is new
        for (int i = 0; i < 200; i++) {
            check_query(&f);
        }
        // After that it behaves like any other tree.
        for (int i = 0; i < 2000; i++) {
            change_something(&f);
        }
        tree_validate(&f.tree);
        check_pairs(&f, false);
        check_query(&f);
        tree_deinit(&f.tree);
    }
}

static int by_items(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(item_pair));
}

static void two_trees_pair_as_plain_lists_do(void **state)
{
    (void)state;
    fixture f = {.random = 815};
    fixture g = {.random = 47};
    item_pairs pairs = {0};
    tree_init(&f.tree);
    tree_init(&g.tree);
    for (int round = 0; round < 6000; round++) {
        change_something(&f);
        if (round % 3 == 0) { // the second has fewer, and is less deep
            change_something(&g);
        }
        if (round % 60 != 0) {
            continue;
        }
        list_pairs(&f.tree, &g.tree, round % 120 == 0, &pairs);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < ITEMS; i++) {
            for (uint32_t k = 0; k < ITEMS; k++) {
                expected += came_to_overlap(&f.items[i], &g.items[k]);
            }
        }
        assert_int_equal(pairs.count, expected);
        if (pairs.count > 1) { // qsort does not accept NULL, even for no elements
            qsort(pairs.data, pairs.count, sizeof *pairs.data, by_items);
        }
        for (uint32_t i = 0; i < pairs.count; i++) {
            item_pair p = pairs.data[i];
            // each pair is there only once
            assert_true(i == 0 || by_items(&pairs.data[i - 1], &p) < 0);
            assert_true(came_to_overlap(&f.items[p.a], &g.items[p.b]));
        }
        refresh(&f);
        refresh(&g);
    }
    array_free(&pairs);
    tree_deinit(&f.tree);
    tree_deinit(&g.tree);
}

static void sorted_insertion_stays_shallow(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    for (uint32_t i = 0; i < 20000; i++) {
        float x = (float)i * 2.0f;
        tree_insert(&t, i, (aabb){{x, 0.0f}, {x + 1.0f, 1.0f}}, 0, false);
    }
    assert_true(tree_validate(&t) <= 9);
    tree_refresh(&t);
    assert_int_equal(tree_validate(&t), 5); // 8^5 is the first power of 8 that is large enough
    tree_deinit(&t);
}

static void equal_boxes_stay_shallow(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    for (uint32_t i = 0; i < 5000; i++) {
        tree_insert(&t, i, (aabb){{1.0f, 2.0f}, {3.0f, 4.0f}}, 0, false);
    }
    assert_true(tree_validate(&t) <= 8);
    tree_refresh(&t);
    assert_int_equal(tree_validate(&t), 5);
    tree_deinit(&t);
}

static float sum_of_inner_boxes(const tree *t)
{
    float sum = 0.0f;
    for (uint32_t n = 1; n < t->nodes.count; n++) {
        const tree_node *node = &t->nodes.data[n];
        for (uint32_t i = 0; i < LANES; i++) {
            if (((node->used & ~(uint32_t)node->leaves) >> i & 1) != 0) {
                sum += aabb_perimeter(wide_box_get(&node->box, i));
            }
        }
    }
    return sum;
}

static void refresh_of_moved_leaves_keeps_boxes_small(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    for (uint32_t i = 0; i < 4096; i++) {
        float x = (float)(i % 64);
        float y = (float)(i / 64);
        tree_insert(&t, i, (aabb){{x, y}, {x + 0.5f, y + 0.5f}}, 0, false);
    }
    tree_refresh(&t);
    float first = sum_of_inner_boxes(&t);
    for (int step = 1; step <= 300; step++) {
        for (uint32_t i = 0; i < 4096; i++) { // rows in three directions
            float x = (float)(i % 64) + (float)step * 0.1f * (float)(i / 64 % 3);
            float y = (float)(i / 64);
            tree_enlarge(&t, i, (aabb){{x, y}, {x + 0.5f, y + 0.5f}});
        }
        tree_refresh(&t);
        tree_validate(&t);
        assert_true(sum_of_inner_boxes(&t) < 3.0f * first);
    }
    tree_deinit(&t);
}

// ---- groups

static void subtrees_of_one_group_are_not_walked(void **state)
{
    (void)state;
    tree t;
    tree_init(&t);
    for (uint32_t i = 0; i < 4096; i++) {
        float x = (float)(i % 64);
        float y = (float)(i / 64);
        tree_insert(&t, i, (aabb){{x, y}, {x + 2.0f, y + 2.0f}}, -7, false);
    }
    item_pairs pairs = {0};
    const pair_list list = uncut(&pairs);
    tree_task tasks[TREE_TASKS_MIN];
    assert_int_equal(tree_divide(&t, &t, tasks, TREE_TASKS_MIN, &list), 0);
    assert_int_equal(pairs.count, 0);
    tree_insert(&t, 5000, (aabb){{10.5f, 10.5f}, {10.6f, 10.6f}}, -8, false);
    tree_new_pairs(&t, &t, &list);
    assert_int_equal(pairs.count, 4);
    array_free(&pairs);
    tree_deinit(&t);
}

typedef struct cutting {
    uint64_t all;
    uint32_t cuts, cuts_max; // 0: there is no maximum
} cutting;

static bool take_all(void *context, item_pairs *pairs)
{
    cutting *c = context;
    c->all += pairs->count;
    c->cuts++;
    array_clear(pairs);
    return c->cuts != c->cuts_max;
}

// A list is cut to its maximum after each step.
static void list_that_has_grown_is_cut(void **state)
{
    (void)state;
    enum { BOXES = 300, MOST = 100, STEP = LANES * LANES };
    tree t;
    tree_init(&t);
    for (uint32_t i = 0; i < BOXES; i++) {
        tree_insert(&t, i, (aabb){{0.0f, 0.0f}, {1.0f, 1.0f}}, 0, false);
    }
    for (int in_parts = 0; in_parts < 2; in_parts++) {
        item_pairs pairs = {0};
        cutting c = {0};
        const pair_list list = {&pairs, MOST, take_all, &c};
        walk(&t, &t, in_parts != 0, &list);
        assert_true(c.cuts > 0 && pairs.capacity <= 2 * (MOST + STEP));
        assert_int_equal(c.all + pairs.count, BOXES * (BOXES - 1) / 2);
        array_clear(&pairs);
        c = (cutting){.cuts_max = 3};
        walk(&t, &t, false, &list);
        assert_true(c.cuts == 3 && pairs.count == 0);
        array_free(&pairs);
    }
    tree_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_answer_as_a_plain_list_does),
        cmocka_unit_test(tree_filled_at_once_answers_as_a_plain_list_does),
        cmocka_unit_test(sorted_insertion_stays_shallow),
        cmocka_unit_test(two_trees_pair_as_plain_lists_do),
        cmocka_unit_test(equal_boxes_stay_shallow),
        cmocka_unit_test(refresh_of_moved_leaves_keeps_boxes_small),
        cmocka_unit_test(subtrees_of_one_group_are_not_walked),
        cmocka_unit_test(list_that_has_grown_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
