// The claims of a token whose signature is verified; see jwt.h. Any thread.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/physics.h"
#include "proto/commands/command_decode.h"
#include "proto/methods.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "common/base/utf8.h"
#include "server/auth/jwt.h"

// The text is "token: <claim>: ...".
#define REFUSE(...) error_set(err, STATUS_UNAUTHENTICATED, "token: " __VA_ARGS__)

// Whole seconds; more than a time can sensibly be (a token may name 1e300) with an exponent.
#define SECONDS "%.12g"

// ---- subject and times

static status read_subject(const json_t *claims, grant *out, error *err)
{
    const json_t *sub = json_object_get(claims, "sub");
    size_t size = json_string_length(sub);
    if (!json_is_string(sub) || size == 0 || size > AUTH_SUBJECT_BYTES_MAX) {
        return REFUSE("sub: must be a text of 1 to %d bytes", AUTH_SUBJECT_BYTES_MAX);
    }
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)json_string_value(sub)[i];
        if (c < ' ' || c == 0x7f) {
            return REFUSE("sub: must have no control characters");
        }
    }
    memcpy(out->subject, json_string_value(sub), size + 1);
    return STATUS_OK;
}

// A NumericDate (RFC 7519, 2): seconds since 1970, whole or not.
static bool read_time(const json_t *claims, const char *name, double *out)
{
    const json_t *value = json_object_get(claims, name);
    *out = json_number_value(value);
    return json_is_number(value) && isfinite(*out);
}

static status read_times(const json_t *claims, double now, grant *out, error *err)
{
    double from = 0.0;
    if (!read_time(claims, "exp", &out->expires)) {
        return REFUSE("exp: must be given, as seconds since 1970");
    }
    if (now >= out->expires) {
        return REFUSE("exp: it expired " SECONDS " s ago", floor(now - out->expires));
    }
    if (json_object_get(claims, "nbf") == NULL) {
        return STATUS_OK;
    }
    if (!read_time(claims, "nbf", &from)) {
        return REFUSE("nbf: must be seconds since 1970");
    }
    if (now + AUTH_NOT_BEFORE_LEEWAY_S < from) {
        return REFUSE("nbf: it is not valid for another " SECONDS " s", ceil(from - now));
    }
    return STATUS_OK;
}

static bool is_audience(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL && strcmp(text, JWT_AUDIENCE) == 0;
}

static status read_audience(const json_t *claims, error *err)
{
    const json_t *aud = json_object_get(claims, "aud");
    bool ours = aud == NULL || is_audience(aud);
    if (json_array_size(aud) > AUTH_AUDIENCES_MAX) {
        return REFUSE("aud: may have %d entries", AUTH_AUDIENCES_MAX);
    }
    for (size_t i = 0; i < json_array_size(aud) && !ours; i++) {
        ours = is_audience(json_array_get(aud, i));
    }
    return ours ? STATUS_OK : REFUSE("aud: is for others, and not for \"%s\"", JWT_AUDIENCE);
}

// ---- role, worlds and areas

static status read_role(const json_t *claims, grant *out, error *err)
{
    const json_t *value = json_object_get(claims, "role");
    out->role = ROLE_VIEWER; // the lowest role of a token
    if (value == NULL) {
        return STATUS_OK;
    }
    const char *text = json_string_value(value);
    if (text == NULL || !role_parse(text, json_string_length(value), &out->role) ||
        out->role == ROLE_NONE) {
        return REFUSE("role: must be viewer, player, referee or admin");
    }
    return STATUS_OK;
}

static bool read_world(const json_t *value, grant_world *out)
{
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    if (text == NULL || size == 0) {
        return false;
    }
    out->prefix = text[size - 1] == '*';
    size -= out->prefix;
    if (!(out->prefix && size == 0) && !world_name_valid(text, size)) {
        return false;
    }
    memcpy(out->text, text, size);
    return true;
}

static status read_worlds(const json_t *claims, grant *out, error *err)
{
    const json_t *worlds = json_object_get(claims, "worlds");
    size_t count = json_array_size(worlds);
    if (worlds == NULL) {
        return STATUS_OK;
    }
    if (!json_is_array(worlds) || count > AUTH_WORLDS_MAX) {
        return REFUSE("worlds: must be an array of at most %d names", AUTH_WORLDS_MAX);
    }
    out->all_worlds = false;
    out->worlds = calloc(count + 1, sizeof *out->worlds);
    ASSERT_MEMORY(out->worlds != NULL);
    for (size_t i = 0; i < count; i++) {
        if (!read_world(json_array_get(worlds, i), &out->worlds[i])) {
            return REFUSE("worlds[%zu]: must be a world's name, or the beginning of names and a *",
                          i);
        }
        out->world_count++;
    }
    return STATUS_OK;
}

static bool read_area(const json_t *value, area *out)
{
    double n[4];
    if (!json_is_array(value) || json_array_size(value) != 4) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        const json_t *number = json_array_get(value, i);
        n[i] = json_number_value(number);
        if (!json_is_number(number) || !(fabs(n[i]) <= PHYSICS_EXTENT_MAX)) {
            return false;
        }
    }
    *out = (area){n[0], n[1], n[2], n[3]};
    return out->x0 <= out->x1 && out->y0 <= out->y1;
}

static status read_areas(const json_t *claims, grant *out, error *err)
{
    const json_t *areas = json_object_get(claims, "areas");
    size_t count = json_array_size(areas);
    if (areas == NULL) {
        return STATUS_OK;
    }
    if (!json_is_array(areas) || count == 0 || count > AUTH_AREAS_MAX) {
        return REFUSE("areas: must be an array of 1 to %d areas", AUTH_AREAS_MAX);
    }
    out->areas = calloc(count, sizeof *out->areas);
    ASSERT_MEMORY(out->areas != NULL);
    for (size_t i = 0; i < count; i++) {
        if (!read_area(json_array_get(areas, i), &out->areas[i])) {
            return REFUSE("areas[%zu]: must be [x0, y0, x1, y1] in metres, x0 <= x1, y0 <= y1", i);
        }
        out->area_count++;
    }
    return STATUS_OK;
}

// ---- limits

static status read_limit(const char *name, const json_t *value, grant *out, error *err)
{
    char quoted[UTF8_QUOTE_MAX];
    const limit_info *found = NULL;
    for (size_t i = 0; limits_info(i) != NULL && found == NULL; i++) {
        bool same = strcmp(limits_info(i)->name, name) == 0;
        found =
            same && choice_find(LIMITS_OF_TOKENS, name, strlen(name)) >= 0 ? limits_info(i) : NULL;
    }
    if (found == NULL) {
        return REFUSE("limits: no limit of a session is called '%s'",
                      utf8_quote(quoted, name, strlen(name)));
    }
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 1 || (uint64_t)number < found->smallest) {
        uint64_t least = found->smallest > 1 ? found->smallest : 1;
        return REFUSE("limits: %s must be a whole number from %llu on", found->name,
                      (unsigned long long)least);
    }
    uint64_t own = (uint64_t)number;
    memcpy((char *)&out->limits + found->offset, &own, sizeof own);
    return STATUS_OK;
}

static status read_limits(json_t *claims, grant *out, error *err)
{
    json_t *given = json_object_get(claims, "limits");
    const char *name = NULL;
    json_t *value = NULL;
    if (given == NULL) {
        return STATUS_OK;
    }
    if (!json_is_object(given)) {
        return REFUSE("limits: must be an object of names and numbers");
    }
    json_object_foreach(given, name, value)
    {
        status s = read_limit(name, value, out, err);
        if (s != STATUS_OK) {
            return s;
        }
    }
    return STATUS_OK;
}

// ---- bounds of players

// The claim is read as the argument `players` of world.create is.
static status read_players(const json_t *claims, grant *out, error *err)
{
    const json_t *given = json_object_get(claims, "players");
    if (given == NULL) {
        return STATUS_OK;
    }
    char *text = json_dumps(given, JSON_ENCODE_ANY | JSON_COMPACT);
    ASSERT_MEMORY(text != NULL);
    buffer bytes;
    error why;
    buffer_init(&bytes, AUTH_TOKEN_BYTES_MAX);
    status s = json_text_to_msgpack(text, strlen(text), &bytes, &why);
    s = s == STATUS_OK ? players_decode(bytes.data, bytes.size, &out->players, &why) : s;
    buffer_deinit(&bytes);
    free(text);
    return s == STATUS_OK ? STATUS_OK : REFUSE("%s", why.text);
}

// ---- all claims

static status read_claims(json_t *claims, double now, grant *out, error *err)
{
    status s = read_subject(claims, out, err);
    s = s == STATUS_OK ? read_times(claims, now, out, err) : s;
    s = s == STATUS_OK ? read_audience(claims, err) : s;
    s = s == STATUS_OK ? read_role(claims, out, err) : s;
    s = s == STATUS_OK ? read_worlds(claims, out, err) : s;
    s = s == STATUS_OK ? read_areas(claims, out, err) : s;
    s = s == STATUS_OK ? read_limits(claims, out, err) : s;
    return s == STATUS_OK ? read_players(claims, out, err) : s;
}

status jwt_read_claims(const char *json, size_t size, double now, grant **out, error *err)
{
    json_error_t where;
    json_t *claims = json_loadb(json, size, JSON_REJECT_DUPLICATES, &where);
    if (claims == NULL) {
        return REFUSE("its claims are not JSON, or have a key twice: byte %d", where.position);
    }
    if (!json_is_object(claims)) {
        json_decref(claims);
        return REFUSE("its claims are not a JSON object");
    }
    grant *read = grant_create();
    status s = read_claims(claims, now, read, err);
    json_decref(claims);
    if (s != STATUS_OK) {
        grant_free(read);
        return s;
    }
    *out = read;
    return STATUS_OK;
}
