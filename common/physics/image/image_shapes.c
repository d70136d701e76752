// Records of shapes. Many bodies have the same shape, so each definition is written once; a shape
// names its definition unless it is that of the previous shape.
//
// A record: marks, the body, for a piece its chain; the number of the definition if the marks say
// so, and the definition if the number is new; the box if there is one.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image/image_bytes.h"
#include "common/physics/image/image_records.h"

void shape_table_deinit(shape_table *table)
{
    for (uint32_t i = 0; i < table->defs.count; i++) {
        free((void *)(uintptr_t)table->defs.data[i].points);
    }
    array_free(&table->first);
    array_free(&table->buckets);
    array_free(&table->defs);
    array_free(&table->numbers);
    array_free(&table->pieces);
    array_free(&table->before);
}

// ---- a definition

static void polygon_fields(image_stream *s, polygon *p)
{
    uint32_t count = (uint32_t)p->count;
    stream_u32(s, &count, POLYGON_VERTICES_MAX, "a polygon's vertices");
    p->count = (int32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        stream_vec2(s, &p->vertices[i]);
        stream_vec2(s, &p->normals[i]);
    }
    for (uint32_t i = count; i < POLYGON_VERTICES_MAX && i > 0; i++) {
        p->vertices[i] = p->vertices[count - 1]; // polygon_make() sets the same values
        p->normals[i] = p->normals[count - 1];
    }
    stream_vec2(s, &p->centroid);
    stream_float(s, &p->radius);
}

static void geometry_fields(image_stream *s, shape_geometry *g)
{
    uint32_t kind = (uint32_t)g->kind;
    stream_u32(s, &kind, SHAPE_SEGMENT, "a shape's kind");
    g->kind = (shape_kind)kind;
    switch (g->kind) {
    case SHAPE_CIRCLE:
        stream_vec2(s, &g->circle.center);
        stream_float(s, &g->circle.radius);
        break;
    case SHAPE_CAPSULE:
        stream_vec2(s, &g->capsule.a);
        stream_vec2(s, &g->capsule.b);
        stream_float(s, &g->capsule.radius);
        break;
    case SHAPE_POLYGON:
        polygon_fields(s, &g->polygon);
        break;
    default:
        stream_vec2(s, &g->segment.a);
        stream_vec2(s, &g->segment.b);
        break;
    }
}

static void chain_fields(image_stream *s, shape_def *def)
{
    uint32_t count = (uint32_t)def->point_count;
    stream_u32(s, &count, PHYSICS_CHAIN_POINTS_MAX, "a chain's points");
    stream_bool(s, &def->loop);
    vec2 *points = s->reading ? calloc(count + 1, sizeof *points) : (vec2 *)(uintptr_t)def->points;
    ASSERT_MEMORY(points != NULL);
    for (uint32_t i = 0; i < count; i++) {
        stream_vec2(s, &points[i]);
    }
    def->points = points;
    def->point_count = (int)count;
}

// A number of a definition that the engine stores as a float.
static void number_field(image_stream *s, double *value)
{
    float number = (float)*value;
    stream_float(s, &number);
    *value = (double)number;
}

static void definition_fields(image_stream *s, shape_def *def)
{
    bool chain = def->form == FORM_CHAIN;
    stream_bool(s, &chain);
    def->form = chain ? FORM_CHAIN : FORM_CONVEX;
    if (chain) {
        chain_fields(s, def);
    } else {
        geometry_fields(s, &def->geometry);
    }
    number_field(s, &def->density);
    number_field(s, &def->friction);
    number_field(s, &def->restitution);
    number_field(s, &def->rolling_resistance);
    number_field(s, &def->tangent_speed);
    if (s->with_one_way) {
        stream_vec2(s, &def->one_way);
    }
    stream_bool(s, &def->sensor);
    stream_word(s, &def->filter.category);
    stream_word(s, &def->filter.mask);
    uint32_t group = (uint32_t)def->filter.group;
    stream_u32(s, &group, UINT32_MAX, "a group");
    def->filter.group = (int32_t)group;
    stream_u32(s, &def->events, UINT32_MAX, "a shape's events");
}

// ---- writing: finding the definition in the table

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

// Compares only those parts of a geometry that its kind uses.
static bool same_geometry(const shape_geometry *a, const shape_geometry *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case SHAPE_CIRCLE:
        return same_bits(&a->circle, &b->circle, sizeof a->circle);
    case SHAPE_CAPSULE:
        return same_bits(&a->capsule, &b->capsule, sizeof a->capsule);
    case SHAPE_SEGMENT:
        return same_bits(&a->segment, &b->segment, sizeof a->segment);
    default: {
        const polygon *p = &a->polygon;
        const polygon *q = &b->polygon;
        size_t bytes = (size_t)p->count * sizeof(vec2);
        return p->count == q->count && same_bits(p->vertices, q->vertices, bytes) &&
               same_bits(p->normals, q->normals, bytes) &&
               same_bits(&p->centroid, &q->centroid, sizeof(vec2)) &&
               same_bits(&p->radius, &q->radius, sizeof p->radius);
    }
    }
}

static bool same_definition(const shape *shape_a, const shape *shape_b)
{
    const uint32_t kept = SHAPE_IS_CHAIN | SHAPE_SENSOR;
    const shape_traits *a = shape_a->traits;
    const shape_traits *b = shape_b->traits;
    if (((shape_a->flags ^ shape_b->flags) & kept) != 0) {
        return false;
    }
    if (a == b) {
        return true;
    }
    const float of_a[] = {a->density,       a->friction,  a->restitution, a->rolling_resistance,
                          a->tangent_speed, a->one_way.x, a->one_way.y};
    const float of_b[] = {b->density,       b->friction,  b->restitution, b->rolling_resistance,
                          b->tangent_speed, b->one_way.x, b->one_way.y};
    if (a->signature != b->signature || a->events != b->events ||
        a->filter.category != b->filter.category || a->filter.mask != b->filter.mask ||
        a->filter.group != b->filter.group || !same_bits(of_a, of_b, sizeof of_a)) {
        return false;
    }
    if ((shape_a->flags & SHAPE_IS_CHAIN) != 0) {
        return a->loop == b->loop && a->point_count == b->point_count &&
               same_bits(a->points, b->points, a->point_count * sizeof *a->points);
    }
    return same_geometry(&a->geometry, &b->geometry);
}

static void grow_buckets(const physics_world *world, shape_table *table)
{
    uint32_t wanted = table->buckets.count == 0 ? 64 : table->buckets.count * 2;
    array_free(&table->buckets);
    array_reserve(&table->buckets, wanted);
    table->buckets.count = wanted;
    memset(table->buckets.data, 0, wanted * sizeof *table->buckets.data);
    for (uint32_t i = 0; i < table->first.count; i++) {
        uint64_t signature = world->shapes.data[table->first.data[i]].traits->signature;
        uint32_t place = (uint32_t)signature & (wanted - 1);
        while (table->buckets.data[place] != 0) {
            place = (place + 1) & (wanted - 1);
        }
        table->buckets.data[place] = i + 1;
    }
}

// Returns the number of the shape's definition, adding it to the table if it is new.
static uint32_t table_number(const physics_world *world, shape_table *table, uint32_t slot)
{
    if (table->first.count * 2 >= table->buckets.count) {
        grow_buckets(world, table);
    }
    const shape *s = &world->shapes.data[slot];
    uint32_t mask = table->buckets.count - 1;
    uint32_t place = (uint32_t)s->traits->signature & mask;
    for (uint32_t number; (number = table->buckets.data[place]) != 0; place = (place + 1) & mask) {
        if (same_definition(&world->shapes.data[table->first.data[number - 1]], s)) {
            return number - 1;
        }
    }
    array_push(&table->first, slot);
    table->buckets.data[place] = table->first.count;
    return table->first.count - 1;
}

static void definition_of(const shape *from, shape_def *def)
{
    const shape_traits *traits = from->traits;
    memset(def, 0, sizeof *def); // clears padding too: definitions are first compared as bytes
    def->form = (from->flags & SHAPE_IS_CHAIN) != 0 ? FORM_CHAIN : FORM_CONVEX;
    if (def->form == FORM_CHAIN) {
        def->points = traits->points;
        def->point_count = (int)traits->point_count;
        def->loop = traits->loop;
    } else {
        def->geometry = shape_traits_geometry(traits);
    }
    def->density = (double)traits->density;
    def->friction = (double)traits->friction;
    def->restitution = (double)traits->restitution;
    def->rolling_resistance = (double)traits->rolling_resistance;
    def->tangent_speed = (double)traits->tangent_speed;
    def->one_way = traits->one_way;
    def->sensor = (from->flags & SHAPE_SENSOR) != 0;
    def->filter = traits->filter;
    def->events = traits->events;
}

static void write_definition(image_stream *s, const physics_world *world, shape_table *table,
                             uint32_t slot)
{
    uint32_t known = table->first.count;
    uint32_t number = table_number(world, table, slot);
    stream_u32(s, &number, known, "a shape's definition");
    if (number == known) {
        shape_def def;
        definition_of(&world->shapes.data[slot], &def);
        definition_fields(s, &def);
    }
}

// ---- shapes

enum { // marks of a shape
    MARK_PIECE = 1 << 0,
    MARK_ENLARGED = 1 << 1,
    MARK_DEFINITION = 1 << 2, // its definition differs from that of the last shape that is no piece
    MARK_MOVED = 1 << 3,      // enlarged, and its earlier box follows
    MARK_LOOK = 1 << 4,       // its dynamic body has no room left: its boxes must be examined
    MARKS_ALL = (1 << 5) - 1
};

static bool has_box(const physics_world *world, const shape *s)
{
    return (world->bodies.data[s->body].flags & BODY_ENABLED) != 0 &&
           (s->flags & SHAPE_IS_CHAIN) == 0;
}

static void put_box(uint8_t **at, aabb box)
{
    put_vec2(at, box.lower);
    put_vec2(at, box.upper);
}

static bool is_dynamic(const physics_world *world, const shape *s)
{
    return world->bodies.data[s->body].type == BODY_DYNAMIC;
}

// The marks of a shape's box; with MARK_MOVED, `before` is its earlier box.
static uint32_t marks_of_box(physics_world *world, uint32_t slot, aabb *before)
{
    const shape *s = &world->shapes.data[slot];
    const bool look = is_dynamic(world, s) && !(world->motions.data[s->body].room > 0.0f);
    uint32_t marks = has_box(world, s) && look ? MARK_LOOK : 0u;
    if ((s->flags & SHAPE_ENLARGED) != 0) {
        *before = shape_box_before(world, slot);
        marks |= MARK_ENLARGED | (before->lower.x <= before->upper.x ? MARK_MOVED : 0u);
    }
    return marks;
}

void shapes_write(image_stream *s, physics_world *world)
{
    shape_table table = {0};
    const uint32_t body_bytes = slot_bytes(&world->body_slots);
    const uint32_t shape_bytes = slot_bytes(&world->shape_slots);
    const shape *last = NULL;
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0;
         slot = slots_next(&world->shape_slots, slot)) {
        const shape *shape_ = &world->shapes.data[slot];
        bool piece = shape_->traits->chain != NONE && shape_->traits->chain != slot;
        bool new = !piece && (last == NULL || !same_definition(last, shape_));
        aabb before = {{0.0f, 0.0f}, {0.0f, 0.0f}};
        const uint32_t box_marks = marks_of_box(world, slot, &before);
        uint8_t *at = stream_put(s);
        put_uint(&at, (piece ? MARK_PIECE : 0u) | (new ? MARK_DEFINITION : 0u) | box_marks, 1);
        put_uint(&at, shape_->body, body_bytes);
        if (piece) {
            put_uint(&at, shape_->traits->chain, shape_bytes);
        }
        if (new) {
            stream_put_end(s, at);
            write_definition(s, world, &table, slot);
            at = stream_put(s);
        }
        if (has_box(world, shape_)) {
            put_box(&at, shape_->fat);
        }
        if ((box_marks & MARK_MOVED) != 0) {
            put_box(&at, before);
        }
        stream_put_end(s, at);
        last = piece ? last : shape_;
    }
    shape_table_deinit(&table);
}

// ---- reading

// Reads the number of the next definition, and the definition itself if it is new.
static uint32_t read_definition(image_stream *s, shape_table *table, uint32_t slot)
{
    uint32_t number = 0;
    uint32_t known = table->defs.count;
    stream_u32(s, &number, known, "a shape's definition");
    if (s->failed || number < known) {
        return number;
    }
    shape_def def = {0};
    definition_fields(s, &def);
    array_push(&table->defs, def);
    array_push(&table->first, slot);
    error err;
    if (!s->failed && shape_def_check(&def, &err) != STATUS_OK) {
        stream_fail(s, "a shape: %s", err.text);
    }
    return number;
}

// *number keeps the last definition that was named.
static void read_own(image_stream *s, physics_world *world, uint32_t slot, uint32_t owner,
                     bool named, shape_table *table, uint32_t *number)
{
    if (named) {
        *number = read_definition(s, table, slot);
    }
    stream_expect(s, *number < table->defs.count, "a shape without a definition");
    if (s->failed) {
        return;
    }
    table->numbers.data[slot] = *number;
    uint32_t first = table->first.data[*number];
    if (first == slot || table->defs.data[*number].form == FORM_CHAIN) {
        shape_place(world, slot, owner, &table->defs.data[*number]);
    } else {
        shape_place_like(world, slot, owner, first);
    }
}

static uint32_t pieces_of(const shape_traits *chain)
{
    return chain->loop ? chain->point_count : chain->point_count - 1;
}

static void read_piece(image_stream *s, physics_world *world, uint32_t slot, uint32_t owner,
                       uint32_t chain, shape_table *table)
{
    bool known = chain < slot && slots_has(&world->shape_slots, chain);
    const shape *c = &world->shapes.data[known ? chain : NONE];
    bool good = known && c->body == owner && (c->flags & SHAPE_IS_CHAIN) != 0 &&
                table->pieces.data[chain] < pieces_of(c->traits);
    stream_expect(s, good, "a piece of no chain");
    if (good) {
        shape_place_piece(world, slot, chain, (int)table->pieces.data[chain]++);
    }
}

static aabb read_one_box(image_stream *s)
{
    const uint8_t *at = stream_get(s);
    aabb box;
    box.lower = get_vec2(&at);
    box.upper = get_vec2(&at);
    stream_expect(s, box.lower.x <= box.upper.x && box.lower.y <= box.upper.y, "a box");
    (void)stream_get_end(s, at);
    return box;
}

static void read_box(image_stream *s, physics_world *world, uint32_t slot, uint32_t marks,
                     shape_table *table)
{
    const bool enlarged = (marks & MARK_ENLARGED) != 0;
    const aabb fat = read_one_box(s);
    aabb before = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}; // all of its pairs are new
    if ((marks & MARK_MOVED) != 0) {
        stream_expect(s, enlarged, "a box that was moved and is not new");
        before = read_one_box(s);
    }
    if (s->failed) {
        return;
    }
    if (enlarged) {
        array_push(&table->before, before);
    }
    shape_restore_box(world, slot, fat, enlarged);
    const shape *restored = &world->shapes.data[slot];
    if (is_dynamic(world, restored) && (marks & MARK_LOOK) == 0) {
        world->motions.data[restored->body].room =
            FLT_MIN; // not zero: impacts.c only tests for that
    }
}

static void read_shape(image_stream *s, physics_world *world, uint32_t slot, shape_table *table,
                       uint32_t *number)
{
    const uint8_t *at = stream_get(s);
    uint32_t marks = (uint32_t)get_uint(&at, 1);
    uint32_t owner = (uint32_t)get_uint(&at, slot_bytes(&world->body_slots));
    bool piece = (marks & MARK_PIECE) != 0;
    uint32_t chain = piece ? (uint32_t)get_uint(&at, slot_bytes(&world->shape_slots)) : NONE;
    stream_expect(s, marks <= MARKS_ALL, "a shape's marks");
    stream_expect(s, slots_has(&world->body_slots, owner), "a shape of no body");
    if (!stream_get_end(s, at)) {
        return;
    }
    if (piece) {
        read_piece(s, world, slot, owner, chain, table);
    } else {
        read_own(s, world, slot, owner, (marks & MARK_DEFINITION) != 0, table, number);
    }
    if (!s->failed && has_box(world, &world->shapes.data[slot])) {
        read_box(s, world, slot, marks, table);
    }
}

void shapes_read(image_stream *s, physics_world *world, shape_table *table)
{
    array_reserve(&table->numbers, world->shape_slots.end);
    array_reserve(&table->pieces, world->shape_slots.end);
    uint32_t number = UINT32_MAX;
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->shape_slots, slot)) {
        read_shape(s, world, slot, table, &number);
    }
    if (!s->failed) {
        shapes_finish_boxes(world, table->before.data);
    }
}
