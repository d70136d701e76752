// The process that takes over from this one; see process.h and process/takeover.h.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/log.h"
#include "server/main/process.h"
#include "server/process/notify.h"

static void drop_descriptor(int *fd)
{
    if (*fd > 0) {
        (void)close(*fd);
    }
    *fd = 0;
}

static bool give_sockets(void *context, listen_sockets *rpc, listen_sockets *http)
{
    process *p = context;
    if (p->server == NULL || p->failed || !server_may_hand_over(p->server)) {
        return false;
    }
    server_sockets(p->server, rpc, http);
    return true;
}

static void on_released(void *context)
{
    process *p = context;
    takeover_release(p->takeover, p->worlds);
}

static bool stop_for_next(void *context)
{
    process *p = context;
    listen_sockets rpc;
    listen_sockets http;
    int worlds = memfd_create("carom-worlds", MFD_CLOEXEC);
    if (worlds < 0) {
        log_error("no memory for the worlds: %s", strerror(errno));
        return false;
    }
    server_sockets(p->server, &rpc, &http);
    p->kept = (given_sockets){.rpc = sockets_copy(&rpc), .http = sockets_copy(&http)};
    drop_descriptor(&p->worlds);
    p->worlds = worlds;
    if (p->kept.rpc.count > 0 && server_hand_over(p->server, worlds, on_released)) {
        log_info("another process takes over");
        return true;
    }
    drop_descriptor(&p->worlds);
    sockets_close(&p->kept);
    return false;
}

void process_await_next(process *p)
{
    const config *c = p->config;
    char beside[PATH_MAX + sizeof "/takeover"];
    const char *path = c->takeover_socket;
    // In a fleet the next process could not have this one's name beside it.
    if (*c->data == '\0' || strcmp(path, "off") == 0 || p->fleet != NULL) {
        return;
    }
    if (*path == '\0') {
        snprintf(beside, sizeof beside, "%s/takeover", c->data);
        path = beside;
    }
    takeover_handler handler = {.context = p, .sockets = give_sockets, .stop = stop_for_next};
    error err;
    if (takeover_open(&p->loop, path, c->data, &handler, &p->takeover, &err) != STATUS_OK) {
        log_warn("no other process can take over: %s", err.text);
    }
}

bool process_must_go_on(process *p)
{
    int pid = 0;
    bool handed = p->takeover != NULL && p->kept.rpc.count > 0;
    bool taken = handed && takeover_await(p->takeover, &pid);
    takeover_free(p->takeover);
    p->takeover = NULL;
    if (taken) {
        log_info("process %d has taken over", pid);
        notify_main_pid(pid);
    }
    if (!handed || taken || p->signals > 0) {
        sockets_close(&p->kept);
        drop_descriptor(&p->worlds);
        return false;
    }
    log_error("the process that should take over has ended: this one continues");
    p->goes_on = true;
    p->given = p->kept;
    p->kept = (given_sockets){0};
    return true;
}
