// See load_tool.h.
#include "tests/bench/network/load_tool.h"

#include <carom/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/clock.h"

enum { ARGUMENTS_MAX = 48, TEXT_BYTES_MAX = 4 << 20 };

// In the child.
static void execute(const char *carom, uint16_t port, const char *const *arguments)
{
    char server[32];
    snprintf(server, sizeof server, "127.0.0.1:%d", port);
    char *argv[ARGUMENTS_MAX] = {strdup(carom), strdup("load"), strdup("--json"),
                                 strdup("--server"), server};
    size_t count = 5;
    for (size_t i = 0; arguments[i] != NULL && count + 1 < ARGUMENTS_MAX; i++) {
        argv[count++] = strdup(arguments[i]);
    }
    execv(carom, argv);
    _exit(127);
}

// Until the other end is closed; false where that does not come to pass in time.
static bool read_all(int from, double until, char *text, size_t *size)
{
    struct pollfd ready = {.fd = from, .events = POLLIN};
    ssize_t got = 1;
    for (*size = 0; got > 0 && *size<TEXT_BYTES_MAX; *size += got> 0 ? (size_t)got : 0) {
        const double left = until - clock_seconds(CLOCK_WALL);
        if (left <= 0.0 || poll(&ready, 1, (int)(left * 1e3) + 1) <= 0) {
            return false;
        }
        got = read(from, text + *size, TEXT_BYTES_MAX - *size);
    }
    return true;
}

carom_value *load_tool_run(const char *carom, const bench_server *s, const char *const *arguments,
                           double seconds)
{
    const double until = clock_seconds(CLOCK_WALL) + seconds;
    int ends[2];
    if (pipe(ends) != 0) {
        give_up("no pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execute(carom, s->port, arguments);
    }
    close(ends[1]);
    size_t size;
    char *text = malloc(TEXT_BYTES_MAX);
    if (text == NULL) {
        give_up("no memory");
    }
    if (!read_all(ends[0], until, text, &size)) {
        kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        give_up("carom bench did not end in time");
    }
    close(ends[0]);
    (void)waitpid(child, NULL, 0);
    carom_value *report = NULL;
    carom_error why;
    if (carom_json_parse(text, size, &report, &why) != CAROM_OK ||
        carom_value_get(report, "metrics") == NULL) {
        fprintf(stderr, "%.*s\n", (int)size, text);
        give_up("carom bench has failed");
    }
    free(text);
    return report;
}
