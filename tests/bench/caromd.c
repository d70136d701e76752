// See caromd.h.
#include "tests/bench/caromd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/clock.h"
#include "tests/bench/processor.h"

enum { ARGUMENTS_MAX = 64, POLL_US = 200 };

_Noreturn void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

// Returns 0 until the text contains the line that the server listens.
static uint16_t read_port(const char *text)
{
    static const char LISTENING[] = "listening on 127.0.0.1:";
    const char *at = strstr(text, LISTENING);
    bool whole = at != NULL && strchr(at, '\n') != NULL;
    return whole ? (uint16_t)strtoul(at + sizeof LISTENING - 1, NULL, 10) : 0;
}

static void wait_for_port(bench_server *s)
{
    char text[8192] = "";
    while (s->port == 0) {
        const bool over = waitpid(s->pid, NULL, WNOHANG) != 0;
        const ssize_t size = pread(s->log, text, sizeof text - 1, 0);
        text[size > 0 ? size : 0] = '\0';
        s->port = read_port(text);
        if (over || (size_t)size == sizeof text - 1) {
            fprintf(stderr, "%s", text);
            give_up("the server does not begin");
        }
        usleep(POLL_US);
    }
}

// Runs in the child process.
static void execute(const char *program, const char *const *options)
{
    static const char *const FIRST[] = {"--listen", "127.0.0.1:0",
                                        "--limit",  "requests_per_second=100000000",
                                        "--limit",  "request_burst=1000000"};
    char *argv[ARGUMENTS_MAX] = {strdup(program)};
    size_t count = 1;
    for (size_t i = 0; i < sizeof FIRST / sizeof *FIRST; i++) {
        argv[count++] = strdup(FIRST[i]);
    }
    for (size_t i = 0; options != NULL && options[i] != NULL && count + 1 < ARGUMENTS_MAX; i++) {
        argv[count++] = strdup(options[i]);
    }
    execv(program, argv);
    fprintf(stderr, "%s: %s\n", program, strerror(errno));
    _exit(127);
}

void server_begin(bench_server *s, const char *program, const char *const *options, int cpu)
{
    *s = (bench_server){.log = memfd_create("log", MFD_CLOEXEC)};
    if (s->log < 0) {
        give_up("no file in memory for the server's log");
    }
    double begin = clock_seconds(CLOCK_WALL);
    s->pid = fork();
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // an interrupted benchmark leaves no server behind
        fcntl(s->log, F_SETFL, O_APPEND);
        dup2(s->log, STDERR_FILENO);
        if (cpu >= 0) {
            (void)processor_pin(cpu);
        }
        execute(program, options);
    }
    wait_for_port(s);
    s->seconds = clock_seconds(CLOCK_WALL) - begin;
}

static void stop(bench_server *s, int number)
{
    kill(s->pid, number);
    (void)waitpid(s->pid, NULL, 0);
    close(s->log);
    s->pid = 0;
}

void server_kill(bench_server *s)
{
    stop(s, SIGKILL);
}

void server_end(bench_server *s)
{
    stop(s, SIGTERM);
}

double server_cpu(const bench_server *s)
{
    char path[64];
    unsigned long user = 0;
    unsigned long system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)s->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                               &user, &system) != 2) {
        give_up("no /proc");
    }
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double server_memory(const bench_server *s)
{
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)s->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1) {
        give_up("no /proc");
    }
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}
