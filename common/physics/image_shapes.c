// Records of shapes. Many bodies bear the same shape, so definitions are kept in a table and each
// shape names its own.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image_records.h"

void shape_table_deinit(shape_table *table)
{
    for (uint32_t i = 0; i < table->defs.count; i++) {
        free((void *)(uintptr_t)table->defs.data[i].points);
    }
    array_free(&table->defs);
    array_free(&table->buckets);
    array_free(&table->pieces);
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
        p->vertices[i] = p->vertices[count - 1]; // as polygon_make() leaves it
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
    ASSERT(points != NULL);
    for (uint32_t i = 0; i < count; i++) {
        stream_vec2(s, &points[i]);
    }
    def->points = points;
    def->point_count = (int)count;
}

// A number of a definition that the engine holds as a float.
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
    stream_bool(s, &def->sensor);
    stream_u64(s, &def->filter.category);
    stream_u64(s, &def->filter.mask);
    uint32_t group = (uint32_t)def->filter.group;
    stream_u32(s, &group, UINT32_MAX, "a group");
    def->filter.group = (int32_t)group;
    stream_u32(s, &def->events, UINT32_MAX, "a shape's events");
}

// ---- writing: finding the definition in the table

// The definition as bytes: its canonical form for comparing and hashing.
static image_stream definition_bytes(const shape_def *def)
{
    image_stream s = {0};
    shape_def copy = *def;
    definition_fields(&s, &copy);
    return s;
}

static uint32_t hash_bytes(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325ULL; // FNV-1a
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static void grow_buckets(shape_table *table)
{
    uint32_t wanted = table->buckets.count == 0 ? 64 : table->buckets.count * 2;
    array_free(&table->buckets);
    array_reserve(&table->buckets, wanted);
    table->buckets.count = wanted;
    memset(table->buckets.data, 0, wanted * sizeof *table->buckets.data);
    for (uint32_t i = 0; i < table->defs.count; i++) {
        image_stream bytes = definition_bytes(&table->defs.data[i]);
        uint32_t place = hash_bytes(bytes.output, bytes.size) & (wanted - 1);
        while (table->buckets.data[place] != 0) {
            place = (place + 1) & (wanted - 1);
        }
        table->buckets.data[place] = i + 1;
        free(bytes.output);
    }
}

static bool same_definition(const shape_def *def, const image_stream *bytes)
{
    image_stream other = definition_bytes(def);
    bool same = other.size == bytes->size && memcmp(other.output, bytes->output, other.size) == 0;
    free(other.output);
    return same;
}

// The number of an equal definition in the table, which may have been put there just now.
static uint32_t table_index(shape_table *table, const shape_def *def)
{
    if (table->defs.count > 0 &&
        memcmp(def, &table->defs.data[table->defs.count - 1], sizeof *def) == 0) {
        return table->defs.count - 1; // most shapes follow one of their like
    }
    if (table->defs.count * 2 >= table->buckets.count) {
        grow_buckets(table);
    }
    image_stream bytes = definition_bytes(def);
    uint32_t mask = table->buckets.count - 1;
    uint32_t place = hash_bytes(bytes.output, bytes.size) & mask;
    while (table->buckets.data[place] != 0 &&
           !same_definition(&table->defs.data[table->buckets.data[place] - 1], &bytes)) {
        place = (place + 1) & mask;
    }
    free(bytes.output);
    if (table->buckets.data[place] == 0) {
        shape_def copy = *def;
        if (def->form == FORM_CHAIN) {
            vec2 *points = malloc((size_t)def->point_count * sizeof *points);
            ASSERT(points != NULL);
            memcpy(points, def->points, (size_t)def->point_count * sizeof *points);
            copy.points = points;
        }
        array_push(&table->defs, copy);
        table->buckets.data[place] = table->defs.count;
    }
    return table->buckets.data[place] - 1;
}

static void definition_of(const shape *from, shape_def *def)
{
    memset(def, 0, sizeof *def); // padding too: definitions are compared as bytes first
    def->form = (from->flags & SHAPE_IS_CHAIN) != 0 ? FORM_CHAIN : FORM_CONVEX;
    if (def->form == FORM_CHAIN) {
        def->points = from->points;
        def->point_count = (int)from->point_count;
        def->loop = from->loop;
    } else {
        def->geometry = from->geometry;
    }
    def->density = (double)from->density;
    def->friction = (double)from->friction;
    def->restitution = (double)from->restitution;
    def->rolling_resistance = (double)from->rolling_resistance;
    def->tangent_speed = (double)from->tangent_speed;
    def->sensor = (from->flags & SHAPE_SENSOR) != 0;
    def->filter = from->filter;
    def->events = from->events;
}

// ---- a shape

// A new definition follows the number that is one past the table.
static void definition_reference(image_stream *s, const shape *from, shape_table *table,
                                 uint32_t *index)
{
    uint32_t known = table->defs.count;
    if (!s->reading) {
        shape_def def;
        definition_of(from, &def);
        *index = table_index(table, &def);
    }
    stream_u32(s, index, known, "a shape's definition");
    if (s->failed || *index < known) {
        return;
    }
    if (!s->reading) {
        shape_def copy = table->defs.data[*index];
        definition_fields(s, &copy);
        return;
    }
    shape_def def = {0};
    definition_fields(s, &def);
    array_push(&table->defs, def);
    error err;
    if (!s->failed && shape_def_check(&def, &err) != STATUS_OK) {
        stream_fail(s, "a shape: %s", err.text);
    }
}

static void place_own(image_stream *s, physics_world *world, uint32_t slot, uint32_t owner,
                      shape_table *table)
{
    uint32_t index = 0;
    definition_reference(s, &world->shapes.data[slot], table, &index);
    if (s->reading && !s->failed) {
        shape_place(world, slot, owner, &table->defs.data[index]);
    }
}

static void place_piece(image_stream *s, physics_world *world, uint32_t slot, uint32_t owner,
                        uint32_t chain, shape_table *table)
{
    stream_u32(s, &chain, slot, "a piece's chain");
    if (!s->reading || s->failed) {
        return;
    }
    array_reserve(&table->pieces, world->shape_slots.end);
    const shape *c = &world->shapes.data[chain];
    bool good = slots_has(&world->shape_slots, chain) && chain < slot && c->body == owner &&
                (c->flags & SHAPE_IS_CHAIN) != 0 &&
                table->pieces.data[chain] < (c->loop ? c->point_count : c->point_count - 1);
    stream_expect(s, good, "a piece of no chain");
    if (good) {
        shape_place_piece(world, slot, chain, (int)table->pieces.data[chain]++);
    }
}

void shape_record(image_stream *s, physics_world *world, uint32_t slot, shape_table *table)
{
    shape *shape_ = &world->shapes.data[slot];
    bool piece = !s->reading && shape_->chain != NONE && shape_->chain != slot;
    bool enlarged = !s->reading && (shape_->flags & SHAPE_ENLARGED) != 0;
    uint32_t marks = (uint32_t)piece | (uint32_t)enlarged << 1;
    uint32_t owner = shape_->body;
    aabb fat = shape_->fat;
    stream_u32(s, &marks, 3, "a shape's marks");
    stream_u32(s, &owner, world->body_slots.end - 1, "a shape's body");
    stream_expect(s, slots_has(&world->body_slots, owner), "a shape of no body");
    if (s->failed) {
        return;
    }
    if ((marks & 1) != 0) {
        place_piece(s, world, slot, owner, shape_->chain, table);
    } else {
        place_own(s, world, slot, owner, table);
    }
    bool boxed = (world->bodies.data[owner].flags & BODY_ENABLED) != 0 &&
                 (world->shapes.data[slot].flags & SHAPE_IS_CHAIN) == 0;
    if (s->failed || !boxed) {
        return;
    }
    stream_vec2(s, &fat.lower);
    stream_vec2(s, &fat.upper);
    stream_expect(s, fat.lower.x <= fat.upper.x && fat.lower.y <= fat.upper.y, "a box");
    if (s->reading && !s->failed) {
        shape_restore_box(world, slot, fat, (marks & 2) != 0);
    }
}
