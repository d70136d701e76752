// Links between servers: greetings, strangers, messages of every size, silence, and their bounds.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/fleet/peer.h"
#include "tests/support/patience.h"

enum { KIND = 7 };

static const uint8_t SECRET[PEER_SECRET_BYTES_MIN] = "an elephant in a room of its own";
static const uint8_t OTHER[PEER_SECRET_BYTES_MIN] = "an elephant in a room of another";

typedef struct side {
    uv_loop_t loop;
    uv_timer_t limit;
    peers *peers;
    peer_link *link; // the last link that came up or ended
    int ups, ends, drains, messages;
    bool expired;
    bool closed;
    char why[128];
    size_t size; // size of the last message
    uint8_t kind;
    uint64_t sum; // sum of its bytes
} side;

static void on_up(void *context, peer_link *link)
{
    side *s = context;
    s->ups++;
    s->link = link;
}

static void on_received(void *context, peer_link *link, uint8_t kind, const uint8_t *bytes,
                        size_t size)
{
    side *s = context;
    assert_ptr_equal(s->link, link);
    s->messages++;
    s->kind = kind;
    s->size = size;
    s->sum = 0;
    for (size_t i = 0; i < size; i++) {
        s->sum += bytes[i];
    }
}

static void on_drained(void *context, peer_link *link)
{
    (void)link;
    ((side *)context)->drains++;
}

static void on_ended(void *context, peer_link *link, const char *why)
{
    side *s = context;
    s->ends++;
    s->link = link;
    snprintf(s->why, sizeof s->why, "%s", why);
}

static void on_limit(uv_timer_t *timer)
{
    ((side *)timer->data)->expired = true;
}

static void open_side(side *s, const char *node, const char *fleet, const uint8_t *secret)
{
    const peer_options options = {.host = "127.0.0.1",
                                  .node = node,
                                  .fleet = fleet,
                                  .secret = secret,
                                  .secret_size = PEER_SECRET_BYTES_MIN};
    const peer_handler handler = {s, on_up, on_received, on_drained, on_ended};
    error err;
    *s = (side){0};
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(peers_open(&s->loop, &options, &s->peers, &err), STATUS_OK);
    assert_false(peers_begun(s->peers));
    assert_int_equal(peers_begin(s->peers, &handler, &err), STATUS_OK);
    assert_true(peers_begun(s->peers));
    (void)uv_timer_init(&s->loop, &s->limit);
    s->limit.data = s;
    (void)uv_timer_start(&s->limit, on_limit, PATIENCE_MS, 0);
    uv_unref((uv_handle_t *)&s->limit);
}

static void on_side_closed(void *context)
{
    ((side *)context)->closed = true;
}

// No handle is left, and no callback comes from now on.
static void close_side(side *s)
{
    const int ends = s->ends;
    peers_close(s->peers, on_side_closed, s);
    uv_close((uv_handle_t *)&s->limit, NULL);
    (void)uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_true(s->closed);
    assert_int_equal(s->ends, ends);
    assert_int_equal(uv_loop_close(&s->loop), 0);
}

static void turn(side *a, side *b)
{
    (void)uv_run(&a->loop, UV_RUN_NOWAIT);
    (void)uv_run(&b->loop, UV_RUN_NOWAIT);
    assert_false(a->expired);
}

// Side a dials side b, as the server `name`.
static void dial(side *a, side *b, const char *name)
{
    char address[RECORD_ADDRESS_MAX + 1];
    snprintf(address, sizeof address, "%s", peers_address(b->peers));
    peer_link *link = peers_dial(a->peers, name, address, a);
    assert_non_null(link);
    assert_true(peer_link_dialled(link));
    assert_ptr_equal(peer_link_owner(link), a);
    while (a->ends == 0 && (a->ups == 0 || b->ups == 0)) {
        turn(a, b);
    }
}

static void open_pair(side *a, side *b)
{
    open_side(a, "a", "/carom", SECRET);
    open_side(b, "b", "/carom", SECRET);
    dial(a, b, "b");
    assert_int_equal(a->ups, 1);
    assert_int_equal(b->ups, 1);
}

static void close_pair(side *a, side *b)
{
    close_side(a);
    close_side(b);
}

static void both_learn_each_other_s_name(void **state)
{
    side a;
    side b;
    (void)state;
    open_pair(&a, &b);
    assert_string_equal(peer_link_node(a.link), "b");
    assert_string_equal(peer_link_node(b.link), "a");
    assert_false(peer_link_dialled(b.link));
    assert_null(peer_link_owner(b.link));
    close_pair(&a, &b);
}

static void messages_of_all_sizes_arrive(void **state)
{
    static const size_t SIZES[] = {0, 1, 16384, 100000, PEER_MESSAGE_BYTES_MAX};
    side a;
    side b;
    (void)state;
    uint8_t *bytes = malloc(PEER_MESSAGE_BYTES_MAX);
    assert_non_null(bytes);
    memset(bytes, 3, PEER_MESSAGE_BYTES_MAX);
    open_pair(&a, &b);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        const size_t head = SIZES[i] / 3;
        assert_true(peer_send(a.link, KIND, bytes, head, bytes, SIZES[i] - head));
        while (b.messages <= (int)i) {
            turn(&a, &b);
        }
        assert_int_equal(b.size, SIZES[i]);
        assert_int_equal(b.sum, 3 * SIZES[i]);
        assert_int_equal(b.kind, KIND);
    }
    assert_true(peer_send(b.link, KIND + 1, "yes", 3, NULL, 0));
    while (a.messages == 0) {
        turn(&a, &b);
    }
    assert_int_equal(a.kind, KIND + 1);
    free(bytes);
    close_pair(&a, &b);
}

static void expect_refusal(const char *node, const char *fleet, const uint8_t *secret,
                           const char *named, const char *why)
{
    side a;
    side b;
    open_side(&a, node, fleet, secret);
    open_side(&b, "b", "/carom", SECRET);
    dial(&a, &b, named);
    assert_int_equal(a.ends, 1);
    assert_int_equal(b.ups, 0);
    assert_int_equal(b.ends, 0);
    if (why != NULL) {
        assert_string_equal(a.why, why);
    }
    close_pair(&a, &b);
}

static void strangers_are_refused(void **state)
{
    (void)state;
    expect_refusal("a", "/carom", OTHER, "b", NULL);
    expect_refusal("a", "/other", SECRET, "b", "it is of a fleet with another --fleet-prefix");
}

static void other_server_than_the_dialled_one_is_refused(void **state)
{
    side a;
    side b;
    (void)state;
    open_side(&a, "a", "/carom", SECRET);
    open_side(&b, "b", "/carom", SECRET);
    dial(&a, &b, "c");
    assert_int_equal(a.ends, 1);
    assert_string_equal(a.why, "another server answers there");
    close_pair(&a, &b);
    expect_refusal("b", "/carom", SECRET, "b", "it has this server's name");
}

// A client of the wrong protocol gets nothing but its end.
static void nonsense_is_refused(void **state)
{
    uv_os_sock_t pair[2];
    side b;
    (void)state;
    open_side(&b, "b", "/carom", SECRET);
    struct sockaddr_in to;
    int port = 0;
    assert_int_equal(sscanf(peers_address(b.peers), "127.0.0.1:%d", &port), 1);
    assert_int_equal(uv_ip4_addr("127.0.0.1", port, &to), 0);
    pair[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(pair[0], (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(write(pair[0], "GET / HTTP/1.1\r\n\r\n", 18), 18);
    char answer[256];
    ssize_t got = 1;
    while (got > 0) {
        for (int i = 0; i < 10; i++) {
            (void)uv_run(&b.loop, UV_RUN_NOWAIT);
        }
        got = recv(pair[0], answer, sizeof answer, MSG_DONTWAIT);
        got = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 1 : got;
        assert_false(b.expired);
    }
    (void)close(pair[0]);
    assert_int_equal(b.ups, 0);
    close_side(&b);
}

static int knock(const side *s)
{
    struct sockaddr_in to;
    int port = 0;
    assert_int_equal(sscanf(peers_address(s->peers), "127.0.0.1:%d", &port), 1);
    assert_int_equal(uv_ip4_addr("127.0.0.1", port, &to), 0);
    const int out = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(out, (struct sockaddr *)&to, sizeof to), 0);
    return out;
}

static bool is_open(int knocking)
{
    char byte;
    return recv(knocking, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

// Redirects standard error to the descriptor. Returns where it went before.
static int redirect(int to)
{
    const int before = dup(STDERR_FILENO);
    assert_true(before >= 0 && dup2(to, STDERR_FILENO) >= 0);
    return before;
}

static int count_lines(FILE *f, const char *with)
{
    char line[512];
    int count = 0;
    rewind(f);
    while (fgets(line, sizeof line, f) != NULL) {
        count += strstr(line, with) != NULL;
    }
    return count;
}

// Connections that say nothing give way to newer ones, so that a server of the fleet finds a place.
// The log has the first of the refused ones, not all.
static void silent_strangers_give_way(void **state)
{
    enum { MORE = 40, LOGGED = 10, ALL = PEER_STRANGERS_MAX + MORE };
    int knocking[ALL];
    side a;
    side b;
    (void)state;
    FILE *logged = tmpfile();
    assert_non_null(logged);
    const int saved = redirect(fileno(logged));
    open_side(&b, "b", "/carom", SECRET);
    for (int i = 0; i < MORE; i++) {
        knocking[i] = knock(&b);
    }
    // These connections become some beats older than the rest.
    for (const uint64_t begun = uv_hrtime(); uv_hrtime() - begun < 3 * PEER_BEAT_MS * 1000000;) {
        (void)uv_run(&b.loop, UV_RUN_NOWAIT);
    }
    for (int i = MORE; i < ALL; i++) {
        knocking[i] = knock(&b);
        (void)uv_run(&b.loop, UV_RUN_NOWAIT);
    }
    for (int i = 0; i < MORE; i++) {
        while (is_open(knocking[i])) {
            (void)uv_run(&b.loop, UV_RUN_NOWAIT);
            assert_false(b.expired);
        }
    }
    assert_true(is_open(knocking[ALL - 1]));
    (void)close(redirect(saved));
    (void)close(saved);
    const int lines = count_lines(logged, "is refused: too many others");
    assert_true(lines >= LOGGED && lines <= 2 * LOGGED); // twice if a time ended meanwhile
    (void)fclose(logged);
    open_side(&a, "a", "/carom", SECRET);
    dial(&a, &b, "b");
    assert_int_equal(b.ups, 1);
    for (int i = 0; i < ALL; i++) {
        (void)close(knocking[i]);
    }
    close_pair(&a, &b);
}

static void nobody_there_ends_the_link(void **state)
{
    side a;
    side b;
    (void)state;
    open_side(&a, "a", "/carom", SECRET);
    open_side(&b, "b", "/carom", SECRET);
    char address[RECORD_ADDRESS_MAX + 1];
    snprintf(address, sizeof address, "%s", peers_address(b.peers));
    close_side(&b);
    assert_non_null(peers_dial(a.peers, "b", address, NULL));
    while (a.ends == 0) {
        (void)uv_run(&a.loop, UV_RUN_ONCE);
    }
    assert_int_equal(a.ups, 0);
    // A link under way ends with all others, without a word.
    assert_non_null(peers_dial(a.peers, "b", address, NULL));
    close_side(&a);
}

static void closed_link_is_told_to_the_other_side(void **state)
{
    side a;
    side b;
    (void)state;
    open_pair(&a, &b);
    peer_close(a.link, "it is not needed");
    while (b.ends == 0) {
        turn(&a, &b);
    }
    assert_int_equal(a.ends, 0);
    assert_int_equal(b.ends, 1);
    close_pair(&a, &b);
}

static void quiet_link_stays_and_silent_one_ends(void **state)
{
    side a;
    side b;
    (void)state;
    open_pair(&a, &b);
    const uint64_t until = uv_hrtime() + UINT64_C(1000000) * 3 * PEER_BEAT_MS;
    while (uv_hrtime() < until) { // beats are exchanged
        turn(&a, &b);
    }
    assert_int_equal(a.ends + b.ends, 0);
    while (a.ends == 0) { // side b does not run
        (void)uv_run(&a.loop, UV_RUN_ONCE);
    }
    assert_string_equal(a.why, "it is silent");
    close_pair(&a, &b);
}

static void link_that_takes_nothing_is_bounded_and_drains(void **state)
{
    enum { PIECE = 1 << 20 };
    side a;
    side b;
    (void)state;
    uint8_t *bytes = calloc(1, PIECE);
    assert_non_null(bytes);
    open_pair(&a, &b);
    int sent = 0;
    while (peer_send(a.link, KIND, bytes, PIECE, NULL, 0)) {
        sent++;
        assert_true(sent <= PEER_UNSENT_BYTES_MAX / PIECE);
    }
    assert_true(peer_unsent(a.link) > PEER_UNSENT_BYTES_MAX - 2 * PIECE);
    while (b.messages < sent || a.drains == 0) {
        turn(&a, &b);
    }
    assert_true(peer_send(a.link, KIND, bytes, PIECE, NULL, 0));
    free(bytes);
    close_pair(&a, &b);
}

static void secret_is_read_from_a_file(void **state)
{
    char path[] = "/tmp/carom-secret-XXXXXX";
    uint8_t *secret = NULL;
    size_t size = 0;
    error err;
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, SECRET, 31), 31);
    assert_int_equal(peer_read_secret(path, &secret, &size, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "must have from 32 to 4096 bytes"));
    assert_int_equal(write(fd, "x\n", 2), 2);
    assert_int_equal(peer_read_secret(path, &secret, &size, &err), STATUS_OK);
    assert_int_equal(size, 32);
    free(secret);
    for (int i = 0; i < PEER_SECRET_BYTES_MAX; i++) {
        assert_int_equal(write(fd, "x", 1), 1);
    }
    assert_int_equal(peer_read_secret(path, &secret, &size, &err), STATUS_INVALID_ARGUMENT);
    (void)close(fd);
    (void)unlink(path);
    assert_int_equal(peer_read_secret(path, &secret, &size, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_learn_each_other_s_name),
        cmocka_unit_test(messages_of_all_sizes_arrive),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(other_server_than_the_dialled_one_is_refused),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(silent_strangers_give_way),
        cmocka_unit_test(nobody_there_ends_the_link),
        cmocka_unit_test(closed_link_is_told_to_the_other_side),
        cmocka_unit_test(quiet_link_stays_and_silent_one_ends),
        cmocka_unit_test(link_that_takes_nothing_is_bounded_and_drains),
        cmocka_unit_test(secret_is_read_from_a_file),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
