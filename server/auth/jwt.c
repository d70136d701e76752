// Splits a token, and checks its header and signature; see jwt.h. Its claims are in claims.c.
#include "server/auth/jwt.h"

#include <jansson.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"
#include "server/auth/base64url.h"

static status refuse(error *err, const char *text)
{
    return error_set(err, STATUS_UNAUTHENTICATED, "token: %s", text);
}

typedef struct part {
    const char *text;
    size_t size;
} part;

// header.claims.signature; `signed_part` is the first two with their dot.
typedef struct parts {
    part header, claims, signature, signed_part;
} parts;

static status split(const char *token, parts *out, error *err)
{
    size_t size = strnlen(token, AUTH_TOKEN_BYTES_MAX + 1);
    if (size > AUTH_TOKEN_BYTES_MAX) {
        return error_set(err, STATUS_UNAUTHENTICATED, "token: has more than %d bytes",
                         AUTH_TOKEN_BYTES_MAX);
    }
    const char *first = memchr(token, '.', size);
    const char *second =
        first != NULL ? memchr(first + 1, '.', size - (size_t)(first + 1 - token)) : NULL;
    const char *end = token + size;
    if (second == NULL || memchr(second + 1, '.', (size_t)(end - second - 1)) != NULL) {
        return refuse(err, "is not a compact JSON Web Token of three parts");
    }
    *out = (parts){.header = {token, (size_t)(first - token)},
                   .claims = {first + 1, (size_t)(second - first - 1)},
                   .signature = {second + 1, (size_t)(end - second - 1)},
                   .signed_part = {token, (size_t)(second - token)}};
    return STATUS_OK;
}

static bool decode(const part *p, uint8_t out[AUTH_TOKEN_BYTES_MAX], size_t *size)
{
    return base64url_decode(p->text, p->size, out, AUTH_TOKEN_BYTES_MAX, size);
}

// The key that the header names, if it is for the header's algorithm.
static status choose_key(const jwk_set *keys, const json_t *header, const jwk **out, error *err)
{
    const json_t *kid_value = json_object_get(header, "kid");
    const char *kid = json_string_value(kid_value);
    const char *alg = json_string_value(json_object_get(header, "alg"));
    const char *typ = json_string_value(json_object_get(header, "typ"));
    if (alg == NULL || kid == NULL) {
        return refuse(err, "its header must have alg and kid, both texts");
    }
    if (json_object_get(header, "crit") != NULL) {
        return refuse(err, "its header has crit, and this server supports no critical header");
    }
    if (json_object_get(header, "typ") != NULL && (typ == NULL || strcasecmp(typ, "JWT") != 0)) {
        return refuse(err, "its header's typ is not JWT");
    }
    bool whole = strlen(kid) == json_string_length(kid_value); // it contains no zero byte
    const jwk *key = whole ? jwk_set_find(keys, kid) : NULL;
    if (key == NULL) {
        char quoted[UTF8_QUOTE_MAX];
        return error_set(err, STATUS_UNAUTHENTICATED, "token: no key has the kid '%s'",
                         utf8_quote(quoted, kid, json_string_length(kid_value)));
    }
    ASSERT(strcmp(key->kid, kid) == 0);
    if (strcmp(alg, jwk_algorithm_name(key->algorithm)) != 0) {
        return error_set(err, STATUS_UNAUTHENTICATED,
                         "token: key '%.40s' is for %s and nothing else", key->kid,
                         jwk_algorithm_name(key->algorithm));
    }
    *out = key;
    return STATUS_OK;
}

static status read_header(const jwk_set *keys, const part *p, const jwk **out, error *err)
{
    uint8_t json[AUTH_TOKEN_BYTES_MAX];
    size_t size = 0;
    if (!decode(p, json, &size)) {
        return refuse(err, "its header is not base64url");
    }
    json_error_t where;
    json_t *header = json_loadb((const char *)json, size, JSON_REJECT_DUPLICATES, &where);
    if (header == NULL) {
        return error_set(err, STATUS_UNAUTHENTICATED,
                         "token: its header is not JSON, or has a key twice: byte %d",
                         where.position);
    }
    status s = json_is_object(header) ? choose_key(keys, header, out, err)
                                      : refuse(err, "its header is not a JSON object");
    json_decref(header);
    return s;
}

static status check_signature(const jwk *key, const parts *p, error *err)
{
    uint8_t signature[AUTH_TOKEN_BYTES_MAX];
    size_t size = 0;
    if (!decode(&p->signature, signature, &size) ||
        !jwk_verify(key, p->signed_part.text, p->signed_part.size, signature, size)) {
        return error_set(err, STATUS_UNAUTHENTICATED,
                         "token: its signature is not that of key '%.40s'", key->kid);
    }
    return STATUS_OK;
}

status jwt_verify(const jwk_set *keys, const char *token, double now, grant **out, error *err)
{
    parts p = {0};
    const jwk *key = NULL;
    status s = split(token, &p, err);
    if (s == STATUS_OK) {
        s = read_header(keys, &p.header, &key, err);
    }
    if (s == STATUS_OK) {
        s = check_signature(key, &p, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    uint8_t json[AUTH_TOKEN_BYTES_MAX];
    size_t size = 0;
    if (!decode(&p.claims, json, &size)) {
        return refuse(err, "its claims are not base64url");
    }
    s = jwt_read_claims((const char *)json, size, now, out, err);
    ASSERT(s != STATUS_OK || *out != NULL);
    if (s == STATUS_OK) {
        _Static_assert(sizeof(*out)->key == sizeof key->digest, "both are digests");
        (*out)->has_key = true;
        memcpy((*out)->key, key->digest, sizeof key->digest);
    }
    return s;
}
