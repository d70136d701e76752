// See servers.h.
#include "tests/bench/network/fanout/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <msgpack.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/clock.h"
#include "tests/bench/network/fanout/bare.h"
#include "tests/bench/network/fanout/readers.h"

enum { PATH_BYTES = 256, START_MS = 20000, NS = 1000000000 };

const char *const SERVER_NAMES[SERVER_COUNT] = {"caromd", "redis", "nats", "bare"};

// ---- programs

// Finds a program. Debian installs nats-server in a folder that only root searches.
static bool find_program(const char *name, char out[PATH_BYTES])
{
    const char *path = getenv("PATH");
    char folders[4096];
    snprintf(folders, sizeof folders, "%s:/usr/bin:/usr/sbin", path != NULL ? path : "");
    char *rest = folders;
    for (char *folder = strtok_r(folders, ":", &rest); folder != NULL;
         folder = strtok_r(NULL, ":", &rest)) {
        snprintf(out, PATH_BYTES, "%s/%s", folder, name);
        if (access(out, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

static const char *program_of(server_kind kind)
{
    return kind == SERVER_REDIS ? "redis-server" : "nats-server";
}

bool servers_found(server_kind kind)
{
    char path[PATH_BYTES];
    bool peer = kind == SERVER_REDIS || kind == SERVER_NATS;
    return !peer || find_program(program_of(kind), path);
}

// ---- sockets

static uint16_t listen_somewhere(int *fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(*fd, 4096) != 0 || getsockname(*fd, (struct sockaddr *)&address, &size) != 0) {
        readers_give_up("no port to listen on");
    }
    return ntohs(address.sin_port);
}

// Finds a port for a program that needs one as an option: free now, and probably still free in a
// moment.
static uint16_t free_port(void)
{
    int fd;
    uint16_t port = listen_somewhere(&fd);
    close(fd);
    return port;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return fd;
    }
    close(fd);
    return -1;
}

static int await_port(const fanout_server *s)
{
    int fd = -1;
    for (int waited = 0; fd < 0 && waited < START_MS; waited += 10) {
        const struct timespec pause = {.tv_nsec = 10000000};
        nanosleep(&pause, NULL);
        fd = connect_to(s->port);
    }
    if (fd < 0) {
        readers_give_up("a server does not listen");
    }
    return fd;
}

// ---- starting

static void be_child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

// Writes a scene of bodies that fly side by side, without shapes: a step costs almost nothing, and
// every snapshot has a row for each body.
static void write_scene(const fanout_server *s)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/fanout.json", s->folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        readers_give_up("no file for the scene");
    }
    fprintf(file, "{\"name\": \"fanout\", \"description\": \"Bodies that fly side by side.\", "
                  "\"world\": {\"gravity\": [0, 0]}, \"view\": [0, 0, 1, 1], \"commands\": [");
    for (int i = 0; i < s->plan.bodies; i++) {
        fprintf(file,
                "%s[\"body.spawn\", {\"position\": [%d, %d], \"velocity\": [0.1, 0.05], "
                "\"shapes\": []}]",
                i > 0 ? ", " : "", 2 * (i % 100), 2 * (i / 100));
    }
    fprintf(file, "]}\n");
    fclose(file);
}

static uint16_t read_port(int log)
{
    static const char LISTENING[] = "listening on 127.0.0.1:";
    char text[8192] = "";
    size_t size = 0;
    const char *at = NULL;
    while (size + 1 < sizeof text && (at == NULL || strchr(at, '\n') == NULL)) {
        ssize_t got = read(log, text + size, sizeof text - 1 - size);
        if (got <= 0) {
            fputs(text, stderr);
            readers_give_up("caromd does not begin");
        }
        size += (size_t)got;
        text[size] = '\0';
        at = strstr(text, LISTENING);
    }
    return at != NULL ? (uint16_t)strtoul(at + sizeof LISTENING - 1, NULL, 10) : 0;
}

static void start_caromd(fanout_server *s)
{
    char connections[64];
    char hz[32];
    int ends[2];
    snprintf(connections, sizeof connections, "connections=%d", s->plan.subscribers + 16);
    snprintf(hz, sizeof hz, "%.9g", s->plan.rate);
    snprintf(s->folder, sizeof s->folder, "/tmp/carom-fanout-XXXXXX");
    if (mkdtemp(s->folder) == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        readers_give_up("no folder, or no pipe");
    }
    write_scene(s);
    s->pid = fork();
    if (s->pid == 0) {
        be_child();
        dup2(ends[1], STDERR_FILENO);
        const char *program = s->plan.caromd;
        const char *extra = s->plan.io_threads != NULL ? "--io-threads" : NULL;
        execl(program, program, "--listen", "127.0.0.1:0", "--http", "off", "--threads", "1",
              "--scenes", s->folder, "--world", "w:fanout", "--hz", hz, "--limit", connections,
              extra, s->plan.io_threads, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    s->port = read_port(ends[0]);
    // The server's later lines fill the pipe and are never read; there is room for hundreds.
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
}

static void start_peer(fanout_server *s)
{
    char path[PATH_BYTES];
    char port[16];
    if (!find_program(program_of(s->kind), path)) {
        readers_give_up("a server is not there any more");
    }
    s->port = free_port();
    snprintf(port, sizeof port, "%u", s->port);
    s->pid = fork();
    if (s->pid == 0) {
        be_child();
        if (s->kind == SERVER_REDIS) {
            execl(path, path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly",
                  "no", "--maxclients", "20000", "--client-output-buffer-limit",
                  "pubsub 256mb 128mb 60", (char *)NULL);
        } else {
            execl(path, path, "-a", "127.0.0.1", "-p", port, (char *)NULL);
        }
        _exit(127);
    }
    s->publisher = await_port(s);
    (void)fcntl(s->publisher, F_SETFL, O_NONBLOCK);
}

static void start_bare(fanout_server *s)
{
    int fd;
    s->port = listen_somewhere(&fd);
    s->pid = fork();
    if (s->pid == 0) {
        be_child();
        readers_fit_descriptors(s->plan.subscribers);
        bare_serve(fd, s->plan.subscribers, s->plan.rate, s->plan.size);
    }
    close(fd);
}

void servers_start(fanout_server *s, server_kind kind, const server_plan *plan)
{
    *s = (fanout_server){.kind = kind, .plan = *plan, .publisher = -1};
    if (kind == SERVER_CAROMD) {
        start_caromd(s);
    } else if (kind == SERVER_BARE) {
        start_bare(s);
    } else {
        start_peer(s);
    }
}

void servers_stop(fanout_server *s)
{
    char path[PATH_BYTES];
    if (s->publisher >= 0) {
        close(s->publisher);
    }
    kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, NULL, 0);
    if (*s->folder != '\0') {
        snprintf(path, sizeof path, "%s/fanout.json", s->folder);
        (void)unlink(path);
        (void)rmdir(s->folder);
    }
}

double servers_cpu(const fanout_server *s)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(s->pid, &clock) != 0 || clock_gettime(clock, &t) != 0) {
        readers_give_up("a server has ended");
    }
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- subscribing

static void put_text(msgpack_packer *k, const char *text)
{
    msgpack_pack_str(k, strlen(text));
    msgpack_pack_str_body(k, text, strlen(text));
}

static size_t ask_caromd(const server_plan *plan, void *out, size_t room)
{
    msgpack_sbuffer bytes;
    msgpack_packer k;
    msgpack_sbuffer_init(&bytes);
    msgpack_packer_init(&k, &bytes, msgpack_sbuffer_write);
    msgpack_pack_array(&k, 4);
    msgpack_pack_int(&k, 0);
    msgpack_pack_int(&k, 1);
    put_text(&k, "world.subscribe");
    msgpack_pack_array(&k, 1);
    msgpack_pack_map(&k, 3);
    put_text(&k, "world");
    put_text(&k, "w");
    put_text(&k, "encoding");
    put_text(&k, plan->bodies > 0 ? "plain" : "log");
    put_text(&k, "events");
    msgpack_pack_array(&k, 0);
    size_t size = bytes.size < room ? bytes.size : 0;
    memcpy(out, bytes.data, size);
    msgpack_sbuffer_destroy(&bytes);
    return size;
}

size_t servers_ask(server_kind kind, const server_plan *plan, void *out, size_t room)
{
    static const char *const ASKS[SERVER_COUNT] = {
        [SERVER_REDIS] = "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nf\r\n",
        [SERVER_NATS] = "CONNECT {\"verbose\":false}\r\nSUB f 1\r\nPING\r\n",
        [SERVER_BARE] = "?"};
    if (kind == SERVER_CAROMD) {
        return ask_caromd(plan, out, room);
    }
    int size = snprintf(out, room, "%s", ASKS[kind]);
    return (size_t)size;
}

// ---- publishing

// The size of the payload that gives the message its intended length on the wire.
static size_t payload_size(server_kind kind, size_t size)
{
    size_t payload = size;
    size_t wire = SIZE_MAX;
    char head[128];
    while (wire > size && payload > 0) {
        payload--;
        const char *form = kind == SERVER_REDIS ? "*3\r\n$7\r\nmessage\r\n$1\r\nf\r\n$%zu\r\n\r\n"
                                                : "MSG f 1 %zu\r\n\r\n";
        wire = payload + (size_t)snprintf(head, sizeof head, form, payload);
    }
    return payload;
}

static void send_all(int fd, const char *bytes, size_t size)
{
    char answers[4096];
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) {
            readers_give_up("a server has hung up");
        }
        bytes += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    while (recv(fd, answers, sizeof answers, 0) > 0) {
    }
}

void servers_pass(fanout_server *s, double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    if (s->publisher < 0) {
        long ns = (long)(1e9 * (seconds - (double)(long)seconds));
        const struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = ns};
        nanosleep(&pause, NULL);
        return;
    }
    size_t payload = payload_size(s->kind, s->plan.size);
    char head[128];
    const char *form =
        s->kind == SERVER_REDIS ? "*3\r\n$7\r\nPUBLISH\r\n$1\r\nf\r\n$%zu\r\n" : "PUB f %zu\r\n";
    size_t size = (size_t)snprintf(head, sizeof head, form, payload);
    char *message = malloc(size + payload + 2);
    if (message == NULL) {
        readers_give_up("no memory");
    }
    memcpy(message, head, size);
    memset(message + size, 'x', payload);
    memcpy(message + size + payload, "\r\n", 2);
    const int times = (int)(seconds * s->plan.rate + 0.5);
    for (int i = 0; i < times; i++) {
        send_all(s->publisher, message, size + payload + 2);
        int64_t next = at.tv_nsec + (int64_t)(1e9 / s->plan.rate);
        at.tv_sec += next / NS;
        at.tv_nsec = next % NS;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    }
    free(message);
}
