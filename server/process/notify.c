// Sends one datagram for each state; see notify.h. Main thread only.
#include "server/process/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"

enum { STATE_BYTES = 128 };

void notify_send(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (path == NULL || (*path != '/' && *path != '@') || strlen(path) >= sizeof to.sun_path) {
        return;
    }
    size_t size = strlen(path);
    memcpy(to.sun_path, path, size);
    if (*path == '@') {
        to.sun_path[0] = '\0'; // the abstract namespace
    }
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
                         (const struct sockaddr *)&to, length) < 0) {
        log_warn("NOTIFY_SOCKET %s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

void notify_reloading(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char state[STATE_BYTES];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    notify_send(state);
}

void notify_main_pid(pid_t pid)
{
    char state[STATE_BYTES];
    snprintf(state, sizeof state, "MAINPID=%ld", (long)pid);
    notify_send(state);
}

uint64_t notify_watchdog_ms(void)
{
    const char *time = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    if (time == NULL || (pid != NULL && strtol(pid, NULL, 10) != (long)getpid())) {
        return 0;
    }
    uint64_t us = strtoull(time, NULL, 10);
    return us >= 2000 ? us / 2000 : us > 0;
}
