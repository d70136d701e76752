// Queries: rays, casts, overlaps, the nearest surface. They wait for the answer; carom/world.h has
// the rules that all typed helpers share. A query with several results writes at most `max` of them
// into the caller's array (NULL is allowed with max 0), and *count is how many the server found.
#ifndef CAROM_QUERY_H
#define CAROM_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/shape.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// The shapes that a query sees. {0}, or NULL for it, sees all but sensors. Every default is 0.
typedef struct carom_query_options {
    bool all;        // ray and cast: every hit instead of the nearest
    bool sensors;    // sensors are seen too
    uint64_t ignore; // a body that the query passes through; 0: none
    bool has_filter; // group, category and mask count
    uint64_t category, mask;
    int32_t group;
    bool has_at; // `at` counts
    double at;   // the tick of the world's history that the query reads, or a moment between two.
                 // CAROM_UNAVAILABLE if the history does not reach it
} carom_query_options;

typedef struct carom_hit {
    uint64_t body, shape;
    carom_vec2 point, normal; // place and normal on the surface that was hit
    double fraction;          // distance as a share of the way from `from` to `to`
} carom_hit;

// The shapes that a ray hits, nearest first.
CAROM_API carom_status carom_query_ray(carom_client *client, const char *world, carom_vec2 from,
                                       carom_vec2 to, const carom_query_options *options,
                                       carom_hit *hits, size_t max, int timeout_ms, size_t *count,
                                       carom_error *error);

// The same for a shape whose origin moves from `from` to `to`.
CAROM_API carom_status carom_query_cast(carom_client *client, const char *world,
                                        const carom_shape *shape, carom_vec2 from, carom_vec2 to,
                                        const carom_query_options *options, carom_hit *hits,
                                        size_t max, int timeout_ms, size_t *count,
                                        carom_error *error);

// The bodies whose boxes meet an area {x0, y0, x1, y1}; those that overlap a shape, given in world
// coordinates; and those that contain a point.
CAROM_API carom_status carom_query_area(carom_client *client, const char *world,
                                        const double area[4], const carom_query_options *options,
                                        uint64_t *bodies, size_t max, int timeout_ms, size_t *count,
                                        carom_error *error);
CAROM_API carom_status carom_query_overlap(carom_client *client, const char *world,
                                           const carom_shape *shape,
                                           const carom_query_options *options, uint64_t *bodies,
                                           size_t max, int timeout_ms, size_t *count,
                                           carom_error *error);
CAROM_API carom_status carom_query_point(carom_client *client, const char *world, carom_vec2 point,
                                         const carom_query_options *options, uint64_t *bodies,
                                         size_t max, int timeout_ms, size_t *count,
                                         carom_error *error);

typedef struct carom_nearest {
    bool found; // false: no surface is near, and the other fields are 0
    uint64_t body, shape;
    carom_vec2 point; // the nearest point of its surface
    double distance;  // distance [m]; 0 inside
} carom_nearest;

// The surface that is nearest to a point, at most `radius` [m] away; 0: at any distance.
CAROM_API carom_status carom_query_nearest(carom_client *client, const char *world,
                                           carom_vec2 point, double radius,
                                           const carom_query_options *options, int timeout_ms,
                                           carom_nearest *out, carom_error *error);

CAROM_END_DECLS

#endif
