// The symmetric positive definite matrix of a truss, with a block of three by three for each pair
// of tied bodies; see truss_matrix.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_MATRIX_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_MATRIX_H

#include <stdbool.h>

#include "common/base/array.h"
#include "common/physics/state/broad_phase/tree.h"
#include "common/physics/state/slots.h"

enum { TRUSS_AXES = 3 }; // x, y and the angle of a body

typedef struct truss_block {
    double at[TRUSS_AXES][TRUSS_AXES];
} truss_block;

// A block below the diagonal: between its column's body and the later body `row`.
typedef struct truss_cell {
    uint32_t row;
    truss_block block;
} truss_cell;

// A body's column. While the matrix is laid out `child` and `next` are chains of earlier columns
// that fill this one.
typedef struct truss_column {
    uint32_t first, end; // cells of the column, by row
    uint32_t child, next;
    truss_block diagonal; // after factorization: the inverse of what elimination left of the block
} truss_column;

typedef ARRAY(truss_cell) truss_cell_list;
typedef ARRAY(truss_column) truss_column_list;

// The matrices of many trusses, one after the other. Bodies are counted over all of them.
typedef struct truss_matrix {
    truss_column_list columns;
    truss_cell_list cells;
    slot_list rows; // rows of the current column during layout
} truss_matrix;

void truss_matrix_clear(truss_matrix *matrix);
void truss_matrix_free(truss_matrix *matrix);
// Adds the columns of so many more bodies, tied by the sorted pairs a < b. False, without adding
// any, if solving would take more than `work_max` products of blocks.
bool truss_matrix_lay_out(truss_matrix *matrix, uint32_t bodies, const item_pairs *pairs,
                          uint32_t work_max);
// The place of the cell of two bodies, column < row, that are tied.
uint32_t truss_matrix_cell(const truss_matrix *matrix, uint32_t column, uint32_t row);

// For the bodies [first, end) of a truss: sets all blocks to zero; then, once filled, solves for
// the right side `x`, three numbers per body from the first, in place.
void truss_matrix_zero(truss_matrix *matrix, uint32_t first, uint32_t end);
void truss_matrix_solve(truss_matrix *matrix, uint32_t first, uint32_t end, double *x);
// Solves for another right side, after truss_matrix_solve().
void truss_matrix_solve_again(const truss_matrix *matrix, uint32_t first, uint32_t end, double *x);

#endif
