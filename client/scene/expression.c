// Evaluates expressions of scenes for other file formats; see carom/scene.h. Any thread.
#include <carom/scene.h>

#include <math.h>
#include <string.h>

#include "client/scene/values.h"
#include "proto/scene/scene_expand.h"

#define WHOLE_MAX 9007199254740992.0 // 2^53: doubles represent every whole number below

static carom_status fail_missing(carom_error *err)
{
    struct error refused;
    error_set(&refused, STATUS_INVALID_ARGUMENT, "text, random and out must not be NULL");
    return values_fault(err, &refused);
}

static status define_all(expression_scope *scope, const carom_variable *variables, size_t count,
                         struct error *err)
{
    status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < count; i++) {
        s = expression_define(scope, variables[i].name, strlen(variables[i].name),
                              variables[i].value, err);
    }
    return s;
}

carom_status carom_expression_evaluate(const char *text, size_t size,
                                       const carom_variable *variables, size_t count,
                                       uint64_t *random, double *out, carom_error *err)
{
    expression_scope scope;
    struct error refused;
    if (text == NULL || random == NULL || out == NULL) {
        return fail_missing(err);
    }
    scope.count = 0;
    scope.random = *random;
    size_t skip = size > 0 && text[0] == '=' ? 1 : 0;
    status s = define_all(&scope, variables, count, &refused);
    if (s == STATUS_OK) {
        s = expression_evaluate(&scope, text + skip, size - skip, out, &refused);
    }
    *random = scope.random;
    return s == STATUS_OK ? CAROM_OK : values_fault(err, &refused);
}

static carom_value *number_value(double value)
{
    bool whole = value == floor(value) && fabs(value) < WHOLE_MAX;
    return whole ? carom_int((int64_t)value) : carom_real(value);
}

// Uses the expander, which parses braces, with only these variables.
static status fill_text(const char *text, size_t size, const carom_variable *variables,
                        size_t count, uint64_t *random, buffer *out, struct error *err)
{
    scene_expander x;
    scene_expander_init(&x, err);
    x.scope.random = *random;
    status s = define_all(&x.scope, variables, count, err);
    s = s == STATUS_OK ? scene_fill_in(&x, text, size, out) : s;
    *random = x.scope.random;
    scene_expander_deinit(&x);
    return s;
}

carom_status carom_expression_fill(const char *text, size_t size, const carom_variable *variables,
                                   size_t count, uint64_t *random, carom_value **out,
                                   carom_error *err)
{
    if (text == NULL || random == NULL || out == NULL) {
        return fail_missing(err);
    }
    if (size > 0 && text[0] == '=') {
        double value = 0.0;
        carom_status s =
            carom_expression_evaluate(text, size, variables, count, random, &value, err);
        *out = s == CAROM_OK ? number_value(value) : NULL;
        return s;
    }
    struct error refused;
    buffer filled;
    buffer_init(&filled, SCENE_CHUNK_BYTES_MAX);
    status s = fill_text(text, size, variables, count, random, &filled, &refused);
    *out = s == STATUS_OK ? carom_strn((const char *)filled.data, filled.size) : NULL;
    buffer_deinit(&filled);
    if (s == STATUS_OK && *out == NULL) {
        s = error_set(&refused, STATUS_INTERNAL, "memory has run out");
    }
    return s == STATUS_OK ? CAROM_OK : values_fault(err, &refused);
}
