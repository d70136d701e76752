// Reads the sockets' names and descriptors from the environment; see activation.h. Main thread
// only.
#include "server/process/activation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/assert.h"

enum { FIRST = 3, SOCKETS_MAX = 2, NAMES_BYTES = 512 };

static bool listens(int fd)
{
    int value = 0;
    socklen_t size = sizeof value;
    bool stream = getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &size) == 0 && value == SOCK_STREAM;
    size = sizeof value;
    bool internet = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &size) == 0 &&
                    (value == AF_INET || value == AF_INET6);
    size = sizeof value;
    return stream && internet && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 &&
           value != 0;
}

static status take(int fd, const char *name, bool alone, given_sockets *out, error *err)
{
    bool http = strcmp(name, "http") == 0;
    listen_sockets *place = http ? &out->http : &out->rpc;
    if (!http && !alone && strcmp(name, "rpc") != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "LISTEN_FDNAMES: '%.64s' is neither rpc nor http "
                         "(FileDescriptorName= of the socket's unit)",
                         name);
    }
    if (place->count > 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "LISTEN_FDNAMES: '%s' appears twice",
                         http ? "http" : "rpc");
    }
    if (!listens(fd)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "LISTEN_FDS: descriptor %d is no TCP socket that listens", fd);
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "LISTEN_FDS: descriptor %d: %s", fd,
                         strerror(errno));
    }
    ASSERT(place->count < (int)(sizeof place->fd / sizeof *place->fd));
    place->fd[place->count++] = fd;
    return STATUS_OK;
}

status activation_take(given_sockets *out, error *err)
{
    const char *pid = getenv("LISTEN_PID");
    const char *count = getenv("LISTEN_FDS");
    const char *named = getenv("LISTEN_FDNAMES");
    *out = (given_sockets){0};
    if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid()) {
        return STATUS_OK;
    }
    long sockets = strtol(count, NULL, 10);
    if (sockets < 1 || sockets > SOCKETS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "LISTEN_FDS: must be 1 to %d, not '%.32s'",
                         SOCKETS_MAX, count);
    }
    char names[NAMES_BYTES];
    snprintf(names, sizeof names, "%s", named != NULL ? named : "");
    char *rest = names;
    status s = STATUS_OK;
    given_sockets given = {0};
    for (int i = 0; i < (int)sockets && s == STATUS_OK; i++) {
        const char *name = rest != NULL ? strsep(&rest, ":") : "";
        s = take(FIRST + i, name, sockets == 1, &given, err);
    }
    if (s == STATUS_OK) {
        *out = given;
        unsetenv("LISTEN_PID");
        unsetenv("LISTEN_FDS");
        unsetenv("LISTEN_FDNAMES");
    }
    return s;
}
