// Area, centre of mass and moment of inertia of the shapes, by exact closed forms, computed in
// double and rounded once. Called when shapes come and go, not in the step. Any thread.
#include "common/geometry/shape.h"

// The area, first and second moment of a figure about a common reference point.
typedef struct moments {
    double area;   // m²
    vec2d first;   // area times centroid [m³]
    double second; // polar second moment [m⁴]
} moments;

// Adds a figure of known area and centroid, with its second moment about its own centroid.
static void moments_add(moments *sum, double area, vec2d centroid, double second)
{
    sum->area += area;
    sum->first.x += area * centroid.x;
    sum->first.y += area * centroid.y;
    sum->second += second + area * (centroid.x * centroid.x + centroid.y * centroid.y);
}

static mass_properties moments_to_mass(const moments *sum, vec2 reference, float density)
{
    double center_x = sum->first.x / sum->area;
    double center_y = sum->first.y / sum->area;
    double inertia = sum->second - sum->area * (center_x * center_x + center_y * center_y);
    return (mass_properties){
        .mass = (float)(sum->area * (double)density),
        .center = {(float)((double)reference.x + center_x),
                   (float)((double)reference.y + center_y)},
        .inertia = (float)(inertia * (double)density),
    };
}

static mass_properties circle_mass(const circle *shape, float density)
{
    double r = (double)shape->radius;
    double mass = PI_D * r * r * (double)density;
    return (mass_properties){(float)mass, shape->center, (float)(0.5 * mass * r * r)};
}

// The mass of a capsule: a rectangle between two half discs.
static mass_properties capsule_mass(const capsule *shape, float density)
{
    double r = (double)shape->radius;
    double dx = (double)shape->b.x - (double)shape->a.x;
    double dy = (double)shape->b.y - (double)shape->a.y;
    double l = sqrt(dx * dx + dy * dy);
    double rectangle = 2.0 * r * l;
    double discs = PI_D * r * r;
    // A half disc's centroid lies 4r / 3pi from its flat side.
    double centroid = 4.0 * r / (3.0 * PI_D);
    double offset = 0.5 * l + centroid;
    double second = rectangle * (l * l + 4.0 * r * r) / 12.0 +
                    discs * (0.5 * r * r - centroid * centroid + offset * offset);
    return (mass_properties){
        .mass = (float)((rectangle + discs) * (double)density),
        .center = {(float)((double)shape->a.x + 0.5 * dx), (float)((double)shape->a.y + 0.5 * dy)},
        .inertia = (float)(second * (double)density),
    };
}

// Adds the core as triangles of the reference point and an edge.
static void moments_add_core(moments *sum, const vec2d *v, int count)
{
    for (int i = 0; i < count; i++) {
        vec2d a = v[i];
        vec2d b = v[(i + 1) % count];
        double twice_area = a.x * b.y - a.y * b.x;
        sum->area += 0.5 * twice_area;
        sum->first.x += twice_area * (a.x + b.x) / 6.0;
        sum->first.y += twice_area * (a.y + b.y) / 6.0;
        sum->second += twice_area *
                       (a.x * a.x + a.x * b.x + b.x * b.x + a.y * a.y + a.y * b.y + b.y * b.y) /
                       12.0;
    }
}

// Adds the rounding: a strip of width r along each edge and a circular sector at each vertex.
static void moments_add_rounding(moments *sum, const vec2d *v, int count, double r)
{
    vec2d normals[POLYGON_VERTICES_MAX];
    for (int i = 0; i < count; i++) {
        vec2d a = v[i];
        vec2d b = v[(i + 1) % count];
        double dx = b.x - a.x;
        double dy = b.y - a.y;
        double l = sqrt(dx * dx + dy * dy);
        normals[i] = (vec2d){dy / l, -dx / l};
        vec2d middle = {0.5 * (a.x + b.x + r * normals[i].x), 0.5 * (a.y + b.y + r * normals[i].y)};
        moments_add(sum, l * r, middle, l * r * (l * l + r * r) / 12.0);
    }
    for (int i = 0; i < count; i++) {
        vec2d before = normals[(i + count - 1) % count];
        vec2d after = normals[i];
        double angle = arc_tangent(before.x * after.y - before.y * after.x,
                                   before.x * after.x + before.y * after.y);
        double area = 0.5 * r * r * angle;
        if (!(area > 0.0)) {
            continue; // no rounding, or collinear edges
        }
        // The integral of the position over the sector is r³/3 times that of (cos, sin).
        double scale = r * r * r / (3.0 * area);
        vec2d centroid = {scale * (after.y - before.y), scale * (before.x - after.x)};
        double own = area * (0.5 * r * r - (centroid.x * centroid.x + centroid.y * centroid.y));
        moments_add(sum, area, (vec2d){v[i].x + centroid.x, v[i].y + centroid.y}, own);
    }
}

static mass_properties polygon_mass(const polygon *shape, float density)
{
    vec2d v[POLYGON_VERTICES_MAX];
    vec2d reference = vec2d_from(shape->centroid);
    for (int i = 0; i < shape->count; i++) {
        v[i] = vec2d_sub(vec2d_from(shape->vertices[i]), reference);
    }
    moments sum = {.area = 0.0};
    moments_add_core(&sum, v, shape->count);
    if (shape->radius > 0.0f) {
        moments_add_rounding(&sum, v, shape->count, (double)shape->radius);
    }
    return moments_to_mass(&sum, shape->centroid, density);
}

mass_properties shape_mass(const shape_geometry *shape, float density)
{
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        return circle_mass(&shape->circle, density);
    case SHAPE_CAPSULE:
        return capsule_mass(&shape->capsule, density);
    case SHAPE_POLYGON:
        return polygon_mass(&shape->polygon, density);
    case SHAPE_SEGMENT:
        return (mass_properties){.center = vec2_lerp(shape->segment.a, shape->segment.b, 0.5f)};
    case SHAPE_CHAIN_SEGMENT:
        return (mass_properties){.center =
                                     vec2_lerp(shape->chain.edge.a, shape->chain.edge.b, 0.5f)};
    case SHAPE_KIND_COUNT:
        break;
    }
    return (mass_properties){.mass = 0.0f};
}
