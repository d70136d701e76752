// Reading a fuzzer's bytes as a program: small numbers mostly, so that worlds come about, and now
// and then the worst that there is.
#ifndef CAROM_TESTS_FUZZ_WORLD_PROGRAM_H
#define CAROM_TESTS_FUZZ_WORLD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/physics/joint.h"

typedef struct program {
    const uint8_t *data;
    size_t size, place; // beyond the end everything is 0
} program;

uint8_t take_byte(program *p);
uint32_t take_word(program *p);
bool take_bool(program *p);
// In [-4, 4) times `usual` for most bytes; else an extreme: zero, the limits of the engine and just
// beyond them, the smallest and largest floats and doubles, infinities, NaN, any float.
double take_number(program *p, double usual);
double take_positive(program *p, double usual);
vec2d take_vector(program *p, double usual);
vec2 take_small_vector(program *p, double usual);

world_def take_world_def(program *p);
body_def take_body_def(program *p);

enum { PROGRAM_CHAIN_POINTS = 16 };
// A definition of any form; `points` is room for a chain's.
shape_def take_shape_def(program *p, vec2 points[PROGRAM_CHAIN_POINTS]);
shape_geometry take_geometry(program *p);
// `fields` are those of the kind, some of them, or any.
joint_def take_joint_def(program *p);
uint32_t take_joint_fields(program *p, joint_kind kind);

#endif
