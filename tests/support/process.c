// Starts, watches and stops a server process; see process.h. The test's thread.
#include "tests/support/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    ARGUMENTS_MAX = 64,
    START_MS = 20000, // sanitizers are slow on a busy machine
    POLL_US = 1000
};

int64_t test_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Runs in the child process.
static void execute(const char *program, const char *const *arguments)
{
    char *argv[ARGUMENTS_MAX] = {strdup(program)};
    for (int i = 0; arguments != NULL && arguments[i] != NULL && i + 2 < ARGUMENTS_MAX; i++) {
        argv[i + 1] = strdup(arguments[i]);
    }
    execv(program, argv);
    _exit(127);
}

void process_spawn(process *p, const char *program, const char *const *arguments)
{
    *p = (process){0};
    p->log = memfd_create("log", MFD_CLOEXEC);
    assert_true(p->log >= 0);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // the server ends with the test, even if that fails
        fcntl(p->log, F_SETFL, O_APPEND);
        dup2(p->log, STDOUT_FILENO);
        dup2(p->log, STDERR_FILENO);
        execute(program, arguments);
    }
}

const char *process_log(process *p)
{
    ssize_t size = pread(p->log, p->text, sizeof p->text - 1, 0);
    p->text[size > 0 ? size : 0] = '\0';
    return p->text;
}

bool process_wait_log(process *p, const char *text, int timeout_ms)
{
    int64_t until = test_now_ms() + timeout_ms;
    while (strstr(process_log(p), text) == NULL) {
        if (test_now_ms() >= until) {
            return false;
        }
        usleep(POLL_US);
    }
    return true;
}

void process_start(process *p, const char *program, const char *const *options)
{
    const char *arguments[ARGUMENTS_MAX] = {"--listen", "127.0.0.1:0"};
    for (int i = 0; options != NULL && options[i] != NULL; i++) {
        assert_true(i + 3 < ARGUMENTS_MAX);
        arguments[i + 2] = options[i];
    }
    process_spawn(p, program, arguments);
    static const char LISTENING[] = "listening on 127.0.0.1:";
    if (!process_wait_log(p, LISTENING, START_MS)) {
        kill(p->pid, SIGKILL);
        fail_msg("caromd did not start:\n%s", process_log(p));
    }
    const char *found = strstr(p->text, LISTENING);
    p->port = (uint16_t)strtoul(found + strlen(LISTENING), NULL, 10);
    assert_int_not_equal(p->port, 0);
}

int process_wait(process *p, int timeout_ms)
{
    assert_true(p->pid > 0); // the process must still run
    int64_t until = test_now_ms() + timeout_ms;
    int result = 0;
    while (waitpid(p->pid, &result, WNOHANG) == 0) {
        if (test_now_ms() >= until) {
            return -1;
        }
        usleep(POLL_US);
    }
    process_log(p);
    close(p->log);
    p->pid = 0;
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1000 + WTERMSIG(result);
}

int process_stop(process *p, int signal, int timeout_ms)
{
    assert_true(p->pid > 0); // kill(0) would reach the test's own process group
    kill(p->pid, signal);
    int code = process_wait(p, timeout_ms);
    if (code == -1) {
        kill(p->pid, SIGKILL);
        process_wait(p, START_MS);
        return -1;
    }
    return code;
}
