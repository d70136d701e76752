// A recursive-descent parser that computes as it reads. Its depth is bounded by
// EXPRESSION_DEPTH_MAX. Any thread.
#include "proto/scene/expression.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/geometry/math.h"
#include "common/base/utf8.h"

typedef struct parser {
    expression_scope *scope;
    const char *begin, *at, *end;
    uint32_t depth; // nesting of parentheses, calls, conditions and signs
    bool live;      // false in the side of a condition that was not chosen: read, not computed
    error *err;
} parser;

typedef enum function {
    FUNCTION_SIN,
    FUNCTION_COS,
    FUNCTION_SQRT,
    FUNCTION_FLOOR,
    FUNCTION_CEIL,
    FUNCTION_ROUND,
    FUNCTION_ABS,
    FUNCTION_MIN,
    FUNCTION_MAX,
    FUNCTION_ATAN2,
    FUNCTION_RANDOM,
    FUNCTION_COUNT
} function;

static const struct {
    const char *name;
    uint32_t arguments;
} FUNCTIONS[FUNCTION_COUNT] = {
    [FUNCTION_SIN] = {"sin", 1},       [FUNCTION_COS] = {"cos", 1},
    [FUNCTION_SQRT] = {"sqrt", 1},     [FUNCTION_FLOOR] = {"floor", 1},
    [FUNCTION_CEIL] = {"ceil", 1},     [FUNCTION_ROUND] = {"round", 1},
    [FUNCTION_ABS] = {"abs", 1},       [FUNCTION_MIN] = {"min", 2},
    [FUNCTION_MAX] = {"max", 2},       [FUNCTION_ATAN2] = {"atan2", 2},
    [FUNCTION_RANDOM] = {"random", 2},
};

typedef enum operation {
    OP_OR,
    OP_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_LESS,
    OP_GREATER,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_COUNT
} operation;

// Of two operators with the same beginning, the longer comes first.
static const struct {
    const char *text;
    uint32_t binding; // the higher, the tighter
} OPERATIONS[OP_COUNT] = {
    [OP_OR] = {"||", 1},      [OP_AND] = {"&&", 2},        [OP_EQUAL] = {"==", 3},
    [OP_UNEQUAL] = {"!=", 3}, [OP_LESS_EQUAL] = {"<=", 4}, [OP_GREATER_EQUAL] = {">=", 4},
    [OP_LESS] = {"<", 4},     [OP_GREATER] = {">", 4},     [OP_ADD] = {"+", 5},
    [OP_SUBTRACT] = {"-", 5}, [OP_MULTIPLY] = {"*", 6},    [OP_DIVIDE] = {"/", 6},
    [OP_MODULO] = {"%", 6},
};

static status evaluate_condition(parser *p, double *out);

static status fail(const parser *p, const char *text)
{
    return error_set(p->err, STATUS_INVALID_ARGUMENT, "column %zu: %s",
                     (size_t)(p->at - p->begin) + 1, text);
}

static void skip_spaces(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')) {
        p->at++;
    }
}

// Steps over the text if it comes next.
static bool accept(parser *p, const char *text)
{
    skip_spaces(p);
    size_t size = strlen(text);
    if ((size_t)(p->end - p->at) < size || memcmp(p->at, text, size) != 0) {
        return false;
    }
    p->at += size;
    return true;
}

static status enter(parser *p)
{
    if (p->depth == EXPRESSION_DEPTH_MAX) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED,
                         "column %zu: nested too deep; the limit is %d",
                         (size_t)(p->at - p->begin) + 1, EXPRESSION_DEPTH_MAX);
    }
    p->depth++;
    return STATUS_OK;
}

// ---- numbers and names

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const char *text, const char *end)
{
    const char *p = text;
    while (p < end && (is_name_start(*p) || (p > text && is_digit(*p)))) {
        p++;
    }
    return (size_t)(p - text);
}

static bool equals(const char *word, const char *text, size_t size)
{
    return strlen(word) == size && memcmp(word, text, size) == 0;
}

static int find_function(const char *text, size_t size)
{
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        if (equals(FUNCTIONS[f].name, text, size)) {
            return f;
        }
    }
    return -1;
}

// digits [. digits] [e [sign] digits]. strtod rounds as IEEE 754 wants, but reads the locale's
// point.
static status read_number(parser *p, double *out)
{
    char text[64];
    size_t size = 0;
    const char *q = p->at;
    bool exponent = false;
    while (q < p->end && size + 1 < sizeof text) {
        bool sign = (*q == '+' || *q == '-') && (q[-1] == 'e' || q[-1] == 'E');
        bool e = (*q == 'e' || *q == 'E') && !exponent;
        if (!is_digit(*q) && *q != '.' && !e && !(exponent && sign)) {
            break;
        }
        exponent = exponent || e;
        text[size++] = *q == '.' ? *localeconv()->decimal_point : *q;
        q++;
    }
    text[size] = '\0';
    char *end;
    double value = strtod(text, &end);
    if (end != text + size || (q < p->end && is_name_start(*q)) || !isfinite(value)) {
        return fail(p, "not a number");
    }
    p->at = q;
    *out = value;
    return STATUS_OK;
}

// Uniform in [0, 1) with 53 bits: Steele, Lea and Flood's SplitMix64 (2014).
static double next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

// ---- calls

static status compute_call(parser *p, function f, const double *argument, double *out)
{
    double a = argument[0];
    double b = argument[1];
    double other;
    switch (f) {
    case FUNCTION_SIN:
        sin_cos(a, out, &other);
        break;
    case FUNCTION_COS:
        sin_cos(a, &other, out);
        break;
    case FUNCTION_SQRT:
        if (a < 0.0) {
            return fail(p, "the square root of a negative number");
        }
        *out = sqrt(a);
        break;
    case FUNCTION_FLOOR:
        *out = floor(a);
        break;
    case FUNCTION_CEIL:
        *out = ceil(a);
        break;
    case FUNCTION_ROUND:
        *out = floor(a + 0.5);
        break;
    case FUNCTION_ABS:
        *out = fabs(a);
        break;
    case FUNCTION_MIN:
        *out = a < b ? a : b;
        break;
    case FUNCTION_MAX:
        *out = a > b ? a : b;
        break;
    case FUNCTION_ATAN2:
        *out = arc_tangent(a, b);
        break;
    case FUNCTION_RANDOM:
        *out = a + (b - a) * next_random(&p->scope->random);
        break;
    case FUNCTION_COUNT:
        break;
    }
    return STATUS_OK;
}

static status evaluate_call(parser *p, function f, double *out)
{
    double arguments[2] = {0.0, 0.0};
    if (!accept(p, "(")) {
        return fail(p, "expected ( after a function's name");
    }
    for (uint32_t i = 0; i < FUNCTIONS[f].arguments; i++) {
        if (i > 0 && !accept(p, ",")) {
            return fail(p, "expected , and a second argument");
        }
        status s = evaluate_condition(p, &arguments[i]);
        if (s != STATUS_OK) {
            return s;
        }
    }
    if (!accept(p, ")")) {
        return fail(p, "expected )");
    }
    *out = 0.0;
    return p->live ? compute_call(p, f, arguments, out) : STATUS_OK;
}

static status evaluate_name(parser *p, double *out)
{
    size_t size = name_length(p->at, p->end);
    const char *name = p->at;
    int f = find_function(name, size);
    if (f >= 0) {
        p->at += size;
        return evaluate_call(p, (function)f, out);
    }
    if (equals("pi", name, size)) {
        p->at += size;
        *out = PI_D;
        return STATUS_OK;
    }
    for (uint32_t i = p->scope->count; i-- > 0;) {
        if (equals(p->scope->variables[i].name, name, size)) {
            p->at += size;
            *out = p->scope->variables[i].value;
            return STATUS_OK;
        }
    }
    char quoted[UTF8_QUOTE_MAX];
    return error_set(p->err, STATUS_INVALID_ARGUMENT, "column %zu: '%s' is not defined",
                     (size_t)(p->at - p->begin) + 1, utf8_quote(quoted, name, size));
}

// ---- operators

static status evaluate_primary(parser *p, double *out)
{
    skip_spaces(p);
    if (p->at == p->end) {
        return fail(p, "the expression ends where a value should be");
    }
    if (is_digit(*p->at) || *p->at == '.') {
        return read_number(p, out);
    }
    if (is_name_start(*p->at)) {
        return evaluate_name(p, out);
    }
    if (!accept(p, "(")) {
        return fail(p, "expected a number, a name or (");
    }
    status s = evaluate_condition(p, out);
    if (s == STATUS_OK && !accept(p, ")")) {
        s = fail(p, "expected )");
    }
    return s;
}

static status evaluate_unary(parser *p, double *out)
{
    bool minus = accept(p, "-");
    bool not = !minus && accept(p, "!");
    if (!minus && !not ) {
        return evaluate_primary(p, out);
    }
    status s = enter(p);
    if (s == STATUS_OK) {
        s = evaluate_unary(p, out);
        p->depth--;
    }
    if (s == STATUS_OK) {
        *out = minus ? -*out : *out == 0.0 ? 1.0 : 0.0;
    }
    return s;
}

static status compute(const parser *p, operation op, double a, double b, double *out)
{
    if ((op == OP_DIVIDE || op == OP_MODULO) && b == 0.0) {
        return fail(p, "division by zero");
    }
    switch (op) {
    case OP_OR:
        *out = a != 0.0 || b != 0.0;
        break;
    case OP_AND:
        *out = a != 0.0 && b != 0.0;
        break;
    case OP_EQUAL:
        *out = a == b;
        break;
    case OP_UNEQUAL:
        *out = a != b;
        break;
    case OP_LESS_EQUAL:
        *out = a <= b;
        break;
    case OP_GREATER_EQUAL:
        *out = a >= b;
        break;
    case OP_LESS:
        *out = a < b;
        break;
    case OP_GREATER:
        *out = a > b;
        break;
    case OP_ADD:
        *out = a + b;
        break;
    case OP_SUBTRACT:
        *out = a - b;
        break;
    case OP_MULTIPLY:
        *out = a * b;
        break;
    case OP_DIVIDE:
        *out = a / b;
        break;
    case OP_MODULO: {
        double rest = fmod(a, b); // exact by definition
        *out = rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
        break;
    }
    case OP_COUNT:
        break;
    }
    return isfinite(*out) ? STATUS_OK : fail(p, "the result is too large");
}

// Accepts the next operator if it binds at least as tightly as `binding_min`; otherwise -1.
static int accept_operation(parser *p, uint32_t binding_min)
{
    for (int op = 0; op < OP_COUNT; op++) {
        if (OPERATIONS[op].binding >= binding_min && accept(p, OPERATIONS[op].text)) {
            return op;
        }
    }
    return -1;
}

// Precedence climbing: operators that bind at least as tightly as `binding_min`, left to right.
static status evaluate_binary(parser *p, uint32_t binding_min, double *out)
{
    double left = 0.0;
    status s = evaluate_unary(p, &left);
    while (s == STATUS_OK) {
        int op = accept_operation(p, binding_min);
        if (op < 0) {
            *out = left;
            break;
        }
        bool live = p->live;
        bool decided = (op == OP_OR && left != 0.0) || (op == OP_AND && left == 0.0);
        p->live = live && !decided;
        double right = 0.0;
        s = evaluate_binary(p, OPERATIONS[op].binding + 1, &right);
        p->live = live;
        if (s == STATUS_OK && live) {
            s = compute(p, (operation)op, left, decided ? 0.0 : right, &left);
        }
    }
    return s;
}

static status evaluate_branches(parser *p, bool first, double *out)
{
    bool live = p->live;
    double values[2] = {0.0, 0.0};
    p->live = live && first;
    status s = evaluate_condition(p, &values[0]);
    if (s == STATUS_OK && !accept(p, ":")) {
        s = fail(p, "expected : and the value for the other case");
    }
    if (s == STATUS_OK) {
        p->live = live && !first;
        s = evaluate_condition(p, &values[1]);
    }
    p->live = live;
    *out = first ? values[0] : values[1];
    return s;
}

static status evaluate_condition(parser *p, double *out)
{
    status s = enter(p);
    if (s != STATUS_OK) {
        return s;
    }
    double value = 0.0;
    s = evaluate_binary(p, 1, &value);
    if (s == STATUS_OK && accept(p, "?")) {
        s = evaluate_branches(p, value != 0.0, &value);
    }
    p->depth--;
    *out = value;
    return s;
}

status expression_evaluate(expression_scope *scope, const char *text, size_t size, double *out,
                           error *err)
{
    if (size > EXPRESSION_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "an expression of %zu bytes; the limit is %d",
                         size, EXPRESSION_BYTES_MAX);
    }
    parser p = {
        .scope = scope, .begin = text, .at = text, .end = text + size, .live = true, .err = err};
    double value;
    status s = evaluate_condition(&p, &value);
    skip_spaces(&p);
    if (s == STATUS_OK && p.at < p.end) {
        s = fail(&p, "expected an operator or the end");
    }
    if (s == STATUS_OK && !isfinite(value)) {
        s = fail(&p, "the result is too large");
    }
    if (s == STATUS_OK) {
        *out = value;
    }
    return s;
}

bool expression_name_valid(const char *text, size_t size)
{
    return size >= 1 && size <= SCENE_NAME_MAX && name_length(text, text + size) == size &&
           find_function(text, size) < 0 && !equals("pi", text, size);
}

status expression_define(expression_scope *scope, const char *name, size_t size, double value,
                         error *err)
{
    char quoted[UTF8_QUOTE_MAX];
    if (!expression_name_valid(name, size)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' cannot be a variable's name",
                         utf8_quote(quoted, name, size));
    }
    if (scope->count == SCENE_VARIABLES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "too many variables; the limit is %d",
                         SCENE_VARIABLES_MAX);
    }
    expression_variable *v = &scope->variables[scope->count++];
    memcpy(v->name, name, size);
    v->name[size] = '\0';
    v->value = value;
    return STATUS_OK;
}
