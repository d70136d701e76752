// The signature of a shape: a hash of its fixed properties, computed once when the shape is made.
// The state hash uses it for a shape's properties, and the table of traits finds equal records by
// it.
#include "common/physics/state/hash_rows.h"
#include "common/physics/state/shapes/shape.h"

static fold_words add_geometry(fold_words sum, const shape_geometry *g)
{
    switch (g->kind) {
    case SHAPE_CIRCLE:
        return add_floats(sum, 1, g->circle.center.x, g->circle.center.y, g->circle.radius, 0.0f);
    case SHAPE_CAPSULE:
        sum = add_vecs(sum, 1, g->capsule.a, g->capsule.b);
        return add_floats(sum, 2, g->capsule.radius, 0.0f, 0.0f, 0.0f);
    case SHAPE_POLYGON:
        for (int i = 0; i < g->polygon.count; i++) {
            sum = add_vecs(sum, 2 + i, g->polygon.vertices[i], g->polygon.normals[i]);
        }
        return add_floats(sum, 1, g->polygon.centroid.x, g->polygon.centroid.y, g->polygon.radius,
                          (float)g->polygon.count);
    case SHAPE_SEGMENT:
        return add_vecs(sum, 1, g->segment.a, g->segment.b);
    default:
        sum = add_vecs(sum, 1, g->chain.ghost_before, g->chain.ghost_after);
        return add_vecs(sum, 2, g->chain.edge.a, g->chain.edge.b);
    }
}

uint64_t shape_signature(const shape_traits *traits)
{
    enum { NEXT = POLYGON_VERTICES_MAX + 2 }; // the first pair after those of the geometry
    _Static_assert(NEXT + 4 <= FOLD_PAIRS, "a row has no more");
    fold_words sum = fold_start(ROW_SIGNATURE, (uint64_t)traits->geometry.kind,
                                (uint64_t)(uint32_t)traits->filter.group << 32 | traits->events);
    sum = add_geometry(sum, &traits->geometry);
    sum = add_floats(sum, NEXT, traits->density, traits->friction, traits->restitution,
                     traits->rolling_resistance);
    sum = add_floats(sum, NEXT + 1, traits->tangent_speed, traits->one_way.x, traits->one_way.y,
                     0.0f);
    sum = fold_add(sum, NEXT + 2, fold_of_words(traits->filter.category, traits->filter.mask));
    sum = fold_add(sum, NEXT + 3, fold_of_words(traits->point_count, traits->loop));
    return fold_end(sum);
}
