// A request's head, line by line; see request.h. Any thread.
#include "server/http/request.h"

#include <string.h>
#include <strings.h>

// ---- characters

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// tchar of RFC 9110, 5.6.2
static bool is_token(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Whether a header's value may have this byte; bytes from 0x80 on are opaque.
static bool is_text(char c)
{
    return (unsigned char)c >= 0x20 ? c != 0x7F : c == '\t';
}

bool http_span_is(http_span s, const char *text)
{
    return s.text != NULL && strlen(text) == s.size && strncasecmp(s.text, text, s.size) == 0;
}

static http_span trim(http_span s)
{
    while (s.size > 0 && is_blank(s.text[0])) {
        s.text++;
        s.size--;
    }
    while (s.size > 0 && is_blank(s.text[s.size - 1])) {
        s.size--;
    }
    return s;
}

// Moves the text before the separator, or all of it, to `out`. False if nothing is left.
static bool take(http_span *text, char separator, http_span *out)
{
    if (text->text == NULL || text->size == 0) {
        return false;
    }
    const char *end = memchr(text->text, separator, text->size);
    size_t size = end != NULL ? (size_t)(end - text->text) : text->size;
    *out = trim((http_span){text->text, size});
    size_t used = end != NULL ? size + 1 : size;
    text->text += used;
    text->size -= used;
    return true;
}

bool http_list_has(http_span list, const char *item)
{
    http_span one;
    while (take(&list, ',', &one)) {
        if (http_span_is(one, item)) {
            return true;
        }
    }
    return false;
}

// qvalue = "0" [ "." 0*3DIGIT ] / "1" [ "." 0*3("0") ], in thousandths; 0 for anything else.
static int quality_of(http_span s)
{
    if (s.size == 0 || s.size > 5 || (s.text[0] != '0' && s.text[0] != '1') ||
        (s.size > 1 && s.text[1] != '.')) {
        return 0;
    }
    int value = s.text[0] == '1' ? 1000 : 0;
    int weight = 100;
    for (size_t i = 2; i < s.size; i++, weight /= 10) {
        if (!is_digit(s.text[i])) {
            return 0;
        }
        value += (s.text[i] - '0') * weight;
    }
    return value <= 1000 ? value : 0;
}

int http_list_quality(http_span list, const char *item)
{
    http_span one;
    while (take(&list, ',', &one)) {
        http_span name;
        http_span parameter;
        if (!take(&one, ';', &name) || !http_span_is(name, item)) {
            continue;
        }
        while (take(&one, ';', &parameter)) {
            if (parameter.size >= 2 && strncasecmp(parameter.text, "q=", 2) == 0) {
                return quality_of((http_span){parameter.text + 2, parameter.size - 2});
            }
        }
        return 1000;
    }
    return -1;
}

// ---- the head as a whole

size_t http_head_size(const char *data, size_t size, size_t *scanned)
{
    size_t from = *scanned > 3 ? *scanned - 3 : 0;
    const char *end = memmem(data + from, size - from, "\r\n\r\n", 4);
    *scanned = size;
    return end != NULL ? (size_t)(end - data) + 4 : 0;
}

bool http_may_be_head(const char *data, size_t size, size_t from)
{
    if (size > 0 && !(data[0] >= 'A' && data[0] <= 'Z')) {
        return false;
    }
    for (size_t i = from > 0 ? from : 1; i < size; i++) {
        bool ends = data[i] == '\n';
        if ((ends != (data[i - 1] == '\r')) || (!is_text(data[i]) && !ends && data[i] != '\r')) {
            return false;
        }
    }
    return true;
}

static bool refuse(http_refusal *refusal, int code, const char *text)
{
    *refusal = (http_refusal){code, text};
    return false;
}

// ---- the request line

// Splits off the text before the next `end`; `rest` continues after it.
static bool cut(http_span *rest, char end, http_span *part)
{
    const char *at = memchr(rest->text, end, rest->size);
    if (at == NULL) {
        return false;
    }
    *part = (http_span){rest->text, (size_t)(at - rest->text)};
    rest->size -= part->size + 1;
    rest->text = at + 1;
    return true;
}

// Does no percent-decoding: the paths of files here need none, and none contains `..`.
static bool parse_target(http_span target, http_request *out, http_refusal *refusal)
{
    if (out->options && http_span_is(target, "*")) { // the server as a whole
        out->path = target;
        return true;
    }
    if (target.size == 0 || target.text[0] != '/') {
        return refuse(refusal, 400, "the target of a request begins with '/'");
    }
    const char *query = memchr(target.text, '?', target.size);
    out->path =
        (http_span){target.text, query != NULL ? (size_t)(query - target.text) : target.size};
    for (size_t i = 0; i < target.size; i++) {
        if (target.text[i] <= ' ' || target.text[i] == 0x7F) { // bytes beyond ASCII are refused too
            return refuse(refusal, 400, "the target of a request is ASCII without blanks");
        }
    }
    for (size_t i = 0; i < out->path.size; i++) {
        char c = out->path.text[i];
        bool dots = c == '/' && i + 1 < out->path.size && out->path.text[i + 1] == '.';
        if (c == '%' || c == '\\' || dots) {
            return refuse(
                refusal, 400,
                "a path has no percent signs, backslashes or names that begin with a dot");
        }
    }
    return true;
}

static bool parse_method(http_span method, http_request *out, http_refusal *refusal)
{
    bool is[3] = {false};
    static const char *const METHODS[] = {"GET", "HEAD", "OPTIONS"};
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(METHODS[i]);
        is[i] = method.size == size && memcmp(method.text, METHODS[i], size) == 0;
    }
    out->head = is[1];
    out->options = is[2];
    return is[0] || is[1] || is[2] ? true
                                   : refuse(refusal, 405, "the methods are GET, HEAD and OPTIONS");
}

static bool parse_line(http_span line, http_request *out, http_refusal *refusal)
{
    http_span method;
    http_span target;
    if (!cut(&line, ' ', &method) || !cut(&line, ' ', &target) || method.size == 0) {
        return refuse(refusal, 400, "a request begins with METHOD TARGET HTTP/1.1");
    }
    for (size_t i = 0; i < method.size; i++) {
        if (!is_token(method.text[i])) {
            return refuse(refusal, 400, "a request begins with METHOD TARGET HTTP/1.1");
        }
    }
    if (line.size != 8 || memcmp(line.text, "HTTP/", 5) != 0 || !is_digit(line.text[5]) ||
        line.text[6] != '.' || !is_digit(line.text[7])) {
        return refuse(refusal, 400, "a request begins with METHOD TARGET HTTP/1.1");
    }
    if (line.text[5] != '1') {
        return refuse(refusal, 505, "the version must be HTTP/1.1 or HTTP/1.0");
    }
    out->minor = line.text[7] == '0' ? 0 : 1;
    out->close = out->minor == 0;
    return parse_method(method, out, refusal) && parse_target(target, out, refusal);
}

// ---- header lines

typedef struct head_state {
    http_span connection, upgrade, length;
    bool chunked;
} head_state;

// The headers that are used; each may occur once, or, where lists are allowed, in one line.
static http_span *field_of(http_request *r, head_state *s, http_span name)
{
    const struct {
        const char *name;
        http_span *value;
    } known[] = {
        {"Host", &r->host},
        {"Origin", &r->origin},
        {"If-None-Match", &r->if_none_match},
        {"Accept-Encoding", &r->accept_encoding},
        {"Connection", &s->connection},
        {"Upgrade", &s->upgrade},
        {"Content-Length", &s->length},
        {"Sec-WebSocket-Key", &r->key},
        {"Sec-WebSocket-Version", &r->version},
        {"Sec-WebSocket-Protocol", &r->protocols},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (http_span_is(name, known[i].name)) {
            return known[i].value;
        }
    }
    return NULL;
}

static bool parse_field(http_span line, http_request *out, head_state *state, http_refusal *refusal)
{
    http_span name;
    if (is_blank(line.text[0])) {
        return refuse(refusal, 400, "header lines are not folded");
    }
    if (!cut(&line, ':', &name) || name.size == 0) {
        return refuse(refusal, 400, "a header line is NAME: VALUE");
    }
    for (size_t i = 0; i < name.size; i++) {
        if (!is_token(name.text[i])) {
            return refuse(refusal, 400, "a header line is NAME: VALUE");
        }
    }
    for (size_t i = 0; i < line.size; i++) {
        if (!is_text(line.text[i])) {
            return refuse(refusal, 400, "a header's value has no control characters");
        }
    }
    state->chunked = state->chunked || http_span_is(name, "Transfer-Encoding");
    http_span *value = field_of(out, state, name);
    if (value != NULL && value->text != NULL) {
        return refuse(refusal, 400, "a header that may appear once appears twice");
    }
    if (value != NULL) {
        *value = trim(line);
    }
    return true;
}

static bool finish(http_request *out, const head_state *state, http_refusal *refusal)
{
    if (out->minor > 0 && (out->host.text == NULL || out->host.size == 0)) {
        return refuse(refusal, 400, "a request names its Host");
    }
    for (size_t i = 0; i < state->length.size; i++) {
        if (!is_digit(state->length.text[i])) {
            return refuse(refusal, 400, "Content-Length is a number");
        }
    }
    if (state->chunked || (state->length.text != NULL && !http_span_is(state->length, "0"))) {
        return refuse(refusal, 413, "requests have no body here");
    }
    out->close = out->close ? !http_list_has(state->connection, "keep-alive")
                            : http_list_has(state->connection, "close");
    out->upgrade = out->minor > 0 && http_list_has(state->connection, "upgrade") &&
                   http_list_has(state->upgrade, "websocket");
    return true;
}

bool http_request_parse(const char *data, size_t size, http_request *out, http_refusal *refusal)
{
    http_span rest = {data, size};
    http_span line;
    head_state state = {0};
    *out = (http_request){0};
    for (int count = 0; cut(&rest, '\n', &line); count++) {
        if (line.size == 0 || line.text[line.size - 1] != '\r' ||
            memchr(line.text, '\r', line.size - 1) != NULL) {
            return refuse(refusal, 400, "lines end with CR LF");
        }
        line.size--;
        if (line.size == 0 && count > 0) {
            return finish(out, &state, refusal);
        }
        if (count > HTTP_FIELDS_MAX) {
            return refuse(refusal, 431, "a request has at most 100 header lines");
        }
        if (count == 0 ? !parse_line(line, out, refusal)
                       : !parse_field(line, out, &state, refusal)) {
            return false;
        }
    }
    return refuse(refusal, 400, "lines end with CR LF");
}
