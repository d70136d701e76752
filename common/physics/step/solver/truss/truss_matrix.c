// The matrix of a truss: block elimination in the order of its bodies (L D Lᵀ).
//
// Eliminating a body connects the later bodies to which it was tied. In a tree whose bodies come
// after their branches that is one body, so no block is filled in and the work is in proportion to
// the bodies; each loop adds a block or two to the columns along it. The filled blocks are found
// once a step, with the elimination tree (compare T. Davis, "Direct Methods for Sparse Linear
// Systems", 2006, chapter 4).
#include "common/physics/step/solver/truss/truss_matrix.h"

#include "common/physics/parallel/sort.h"

#include <string.h>

void truss_matrix_clear(truss_matrix *matrix)
{
    array_clear(&matrix->columns);
    array_clear(&matrix->cells);
}

void truss_matrix_free(truss_matrix *matrix)
{
    array_free(&matrix->columns);
    array_free(&matrix->cells);
    array_free(&matrix->rows);
}

// ---- layout

static void take_rows(truss_matrix *matrix, uint32_t of, uint32_t but)
{
    const truss_column *column = &matrix->columns.data[of];
    for (uint32_t i = column->first; i < column->end; i++) {
        const uint32_t row = matrix->cells.data[i].row;
        if (row != but) {
            array_push(&matrix->rows, row);
        }
    }
}

// Lays out the cells of a column, whose own pairs' rows are listed; cells of earlier columns exist.
// Column and row numbers are one more than the body's: 0 is none.
static void lay_out_column(truss_matrix *matrix, uint32_t at)
{
    for (uint32_t child = matrix->columns.data[at].child; child != NONE;
         child = matrix->columns.data[child - 1].next) {
        take_rows(matrix, child - 1, at);
    }
    matrix->rows.count = sort_slots(matrix->rows.data, matrix->rows.count);
    truss_column *column = &matrix->columns.data[at];
    column->first = matrix->cells.count;
    for (uint32_t i = 0; i < matrix->rows.count; i++) {
        array_push(&matrix->cells, ((truss_cell){.row = matrix->rows.data[i]}));
    }
    column->end = matrix->cells.count;
    if (column->first < column->end) {
        truss_column *next = &matrix->columns.data[matrix->cells.data[column->first].row];
        column->next = next->child;
        next->child = at + 1;
    }
}

bool truss_matrix_lay_out(truss_matrix *matrix, uint32_t bodies, const item_pairs *pairs,
                          uint32_t work_max)
{
    const uint32_t first = matrix->columns.count;
    const uint32_t first_cell = matrix->cells.count;
    uint64_t work = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        array_push(&matrix->columns, ((truss_column){0}));
    }
    for (uint32_t at = first; at < first + bodies && work <= work_max; at++) {
        array_clear(&matrix->rows);
        for (; next < pairs->count && pairs->data[next].a == at; next++) {
            array_push(&matrix->rows, pairs->data[next].b);
        }
        lay_out_column(matrix, at);
        const uint64_t cells = matrix->columns.data[at].end - matrix->columns.data[at].first;
        work += cells * cells;
    }
    if (work > work_max) {
        matrix->columns.count = first;
        matrix->cells.count = first_cell;
        return false;
    }
    return true;
}

uint32_t truss_matrix_cell(const truss_matrix *matrix, uint32_t column, uint32_t row)
{
    uint32_t low = matrix->columns.data[column].first;
    uint32_t high = matrix->columns.data[column].end;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (matrix->cells.data[middle].row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- solving

void truss_matrix_zero(truss_matrix *matrix, uint32_t first, uint32_t end)
{
    const truss_block zero = {0};
    for (uint32_t at = first; at < end; at++) {
        truss_column *column = &matrix->columns.data[at];
        column->diagonal = zero;
        for (uint32_t i = column->first; i < column->end; i++) {
            matrix->cells.data[i].block = zero;
        }
    }
}

static truss_block product(const truss_block *a, const truss_block *b)
{
    truss_block out;
    for (int i = 0; i < TRUSS_AXES; i++) {
        for (int k = 0; k < TRUSS_AXES; k++) {
            out.at[i][k] =
                a->at[i][0] * b->at[0][k] + a->at[i][1] * b->at[1][k] + a->at[i][2] * b->at[2][k];
        }
    }
    return out;
}

// m -= a bᵀ
static void subtract_product(truss_block *m, const truss_block *a, const truss_block *b)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        for (int k = 0; k < TRUSS_AXES; k++) {
            m->at[i][k] -=
                a->at[i][0] * b->at[k][0] + a->at[i][1] * b->at[k][1] + a->at[i][2] * b->at[k][2];
        }
    }
}

// The inverse of a symmetric positive definite block, by elimination.
static truss_block inverse(const truss_block *m)
{
    const double l10 = m->at[1][0] / m->at[0][0];
    const double l20 = m->at[2][0] / m->at[0][0];
    const double d1 = m->at[1][1] - l10 * m->at[1][0];
    const double u21 = m->at[2][1] - l20 * m->at[1][0];
    const double l21 = u21 / d1;
    const double d2 = m->at[2][2] - l20 * m->at[2][0] - l21 * u21;
    const double i0 = 1.0 / m->at[0][0];
    const double i1 = 1.0 / d1;
    const double i2 = 1.0 / d2;
    const double k20 = l10 * l21 - l20; // element of the inverse of L
    const double xx = i0 + l10 * l10 * i1 + k20 * k20 * i2;
    const double xy = -l10 * i1 - k20 * l21 * i2;
    const double xw = k20 * i2;
    const double yy = i1 + l21 * l21 * i2;
    const double yw = -l21 * i2;
    return (truss_block){{{xx, xy, xw}, {xy, yy, yw}, {xw, yw, i2}}};
}

static void subtract_times(double *out, const truss_block *m, const double *x)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        out[i] -= m->at[i][0] * x[0] + m->at[i][1] * x[1] + m->at[i][2] * x[2];
    }
}

static void subtract_transposed_times(double *out, const truss_block *m, const double *x)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        out[i] -= m->at[0][i] * x[0] + m->at[1][i] * x[1] + m->at[2][i] * x[2];
    }
}

// Eliminates a body from the equations of all later ones.
static void eliminate(truss_matrix *matrix, uint32_t first, uint32_t at, double *x)
{
    truss_column *column = &matrix->columns.data[at];
    truss_cell *cells = matrix->cells.data;
    column->diagonal = inverse(&column->diagonal);
    for (uint32_t i = column->first; i < column->end; i++) {
        const truss_block lower = product(&cells[i].block, &column->diagonal);
        const uint32_t row = cells[i].row;
        for (uint32_t k = column->first; k < i; k++) {
            subtract_product(&cells[truss_matrix_cell(matrix, cells[k].row, row)].block, &lower,
                             &cells[k].block);
        }
        subtract_product(&matrix->columns.data[row].diagonal, &lower, &cells[i].block);
        subtract_times(&x[TRUSS_AXES * (row - first)], &lower, &x[TRUSS_AXES * (at - first)]);
    }
}

static void times(double *out, const truss_block *m, const double *x)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        out[i] = m->at[i][0] * x[0] + m->at[i][1] * x[1] + m->at[i][2] * x[2];
    }
}

static void substitute_back(const truss_matrix *matrix, uint32_t first, uint32_t end, double *x)
{
    for (uint32_t at = end; at-- > first;) {
        const truss_column *column = &matrix->columns.data[at];
        double *own = &x[TRUSS_AXES * (at - first)];
        for (uint32_t i = column->first; i < column->end; i++) {
            const truss_cell *cell = &matrix->cells.data[i];
            subtract_transposed_times(own, &cell->block, &x[TRUSS_AXES * (cell->row - first)]);
        }
        const double right[TRUSS_AXES] = {own[0], own[1], own[2]};
        times(own, &column->diagonal, right);
    }
}

void truss_matrix_solve(truss_matrix *matrix, uint32_t first, uint32_t end, double *x)
{
    for (uint32_t at = first; at < end; at++) {
        eliminate(matrix, first, at, x);
    }
    substitute_back(matrix, first, end, x);
}

void truss_matrix_solve_again(const truss_matrix *matrix, uint32_t first, uint32_t end, double *x)
{
    for (uint32_t at = first; at < end; at++) {
        const truss_column *column = &matrix->columns.data[at];
        double own[TRUSS_AXES];
        times(own, &column->diagonal, &x[TRUSS_AXES * (at - first)]);
        for (uint32_t i = column->first; i < column->end; i++) {
            const truss_cell *cell = &matrix->cells.data[i];
            subtract_times(&x[TRUSS_AXES * (cell->row - first)], &cell->block, own);
        }
    }
    substitute_back(matrix, first, end, x);
}
