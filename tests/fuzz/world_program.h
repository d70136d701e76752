// Reading a fuzzer's bytes as a program: mostly small numbers, so that worlds arise, and now and
// then extreme ones.
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
// Returns a number in [-4, 4) times `usual` for most bytes; else an extreme: zero, the limits of
// the engine and just beyond them, the smallest and largest floats and doubles, infinities, NaN,
// any float.
double take_number(program *p, double usual);
double take_positive(program *p, double usual);
vec2d take_vector(program *p, double usual);
vec2 take_small_vector(program *p, double usual);

world_def take_world_def(program *p);
body_def take_body_def(program *p);

enum { PROGRAM_CHAIN_POINTS = 16 };
// Makes a definition of any form; `points` is memory for a chain's points.
shape_def take_shape_def(program *p, vec2 points[PROGRAM_CHAIN_POINTS]);
shape_geometry take_geometry(program *p);
// `fields` are those of the kind, some of them, or arbitrary bits.
joint_def take_joint_def(program *p);
uint32_t take_joint_fields(program *p, joint_kind kind);

#endif
