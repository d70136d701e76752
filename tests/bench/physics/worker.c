// Starts this program again for each run and passes request and result through two pipes; see
// worker.h. Main thread.
#include "tests/bench/physics/worker.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char CHILD[] = "--child";

enum { CHILD_IN = 3, CHILD_OUT = 4 };

extern char **environ;

static bool write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// The child's ends become its descriptors CHILD_IN and CHILD_OUT; it inherits no other descriptors
// except the three usual ones; its output goes to `messages`.
static pid_t start_child(const int to_child[2], const int from_child[2], int messages)
{
    enum { ASIDE = 100 }; // numbers above those of the pipes' ends
    char path[] = "/proc/self/exe";
    char flag[sizeof CHILD];
    memcpy(flag, CHILD, sizeof CHILD);
    char *const arguments[] = {path, flag, NULL};
    const int ends[] = {to_child[0], to_child[1], from_child[0], from_child[1], messages};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to_child[0], ASIDE);
    posix_spawn_file_actions_adddup2(&actions, from_child[1], ASIDE + 1);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        posix_spawn_file_actions_addclose(&actions, ends[i]);
    }
    posix_spawn_file_actions_adddup2(&actions, ASIDE, CHILD_IN);
    posix_spawn_file_actions_adddup2(&actions, ASIDE + 1, CHILD_OUT);
    posix_spawn_file_actions_addclose(&actions, ASIDE);
    posix_spawn_file_actions_addclose(&actions, ASIDE + 1);
    pid_t child = -1;
    if (posix_spawn(&child, path, &actions, NULL, arguments, environ) != 0) {
        child = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static void show_messages(FILE *messages)
{
    char line[512];
    rewind(messages);
    while (fgets(line, sizeof line, messages) != NULL) {
        fputs(line, stderr);
    }
}

static bool read_result(int fd, measure_result *result, double *samples)
{
    return read_all(fd, result, sizeof *result) && result->sample_count <= SAMPLES_MAX &&
           read_all(fd, samples, result->sample_count * sizeof *samples);
}

static bool talk_to_child(const int to_child[2], const int from_child[2], FILE *messages,
                          const measure_request *request, measure_result *result, double *samples)
{
    pid_t child = start_child(to_child, from_child, fileno(messages));
    close(to_child[0]);
    close(from_child[1]);
    bool ok = child > 0 && write_all(to_child[1], request, sizeof *request) &&
              read_result(from_child[0], result, samples);
    close(to_child[1]);
    close(from_child[0]);
    int end = 0;
    if (child > 0) {
        while (waitpid(child, &end, 0) < 0 && errno == EINTR) {
        }
    }
    return ok && WIFEXITED(end) && WEXITSTATUS(end) == 0;
}

bool worker_call(const measure_request *request, measure_result *result, double *samples)
{
    int to_child[2];
    int from_child[2];
    FILE *messages = tmpfile();
    if (messages == NULL || pipe(to_child) != 0 || pipe(from_child) != 0) {
        fprintf(stderr, "bench: %s\n", strerror(errno));
        exit(1);
    }
    bool ok = talk_to_child(to_child, from_child, messages, request, result, samples);
    if (!ok) {
        show_messages(messages);
    }
    fclose(messages);
    return ok;
}

bool worker_is_child(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], CHILD) != 0) {
        return false;
    }
    static double samples[SAMPLES_MAX];
    measure_request request;
    measure_result result;
    if (!read_all(CHILD_IN, &request, sizeof request)) {
        exit(1);
    }
    measure_run(&request, &result, samples);
    if (!write_all(CHILD_OUT, &result, sizeof result) ||
        !write_all(CHILD_OUT, samples, result.sample_count * sizeof *samples)) {
        exit(1);
    }
    return true;
}
