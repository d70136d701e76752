// See real_etcd.h.
#include "tests/unit/fleet/real_etcd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { STARTS = 5, LOOKS = 3000, LOOK_MS = 20 };

bool real_etcd_there(void)
{
    const char *path = getenv("PATH");
    char *folders = strdup(path != NULL ? path : "");
    char *rest = folders;
    bool there = false;
    for (const char *folder = strsep(&rest, ":"); folder != NULL; folder = strsep(&rest, ":")) {
        char file[4096];
        snprintf(file, sizeof file, "%s/etcd", folder);
        there = there || access(file, X_OK) == 0;
    }
    free(folders);
    return there;
}

static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    (void)close(fd);
    return ntohs(at.sin_port);
}

static void run(const real_etcd *e)
{
    char peer[64];
    char cluster[80];
    char log[128];
    snprintf(peer, sizeof peer, "http://127.0.0.1:%d", e->peer_port);
    snprintf(cluster, sizeof cluster, "default=%s", peer);
    snprintf(log, sizeof log, "%s.log", e->folder);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    (void)dup2(fd, 1);
    (void)dup2(fd, 2);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); // ends with the test
    (void)execlp("etcd", "etcd", "--data-dir", e->folder, "--listen-client-urls", e->url,
                 "--advertise-client-urls", e->url, "--listen-peer-urls", peer,
                 "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster,
                 "--heartbeat-interval", "50", "--election-timeout", "500", (char *)NULL);
    _exit(127);
}

// Serves: a POST of an empty range is answered with 200.
static bool serves(const real_etcd *e)
{
    static const char ASK[] = "POST /v3/kv/range HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                              "Content-Length: 14\r\n\r\n{\"key\":\"YQ==\"}";
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)e->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char answer[64] = "";
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool got = connect(fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
                     write(fd, ASK, strlen(ASK)) == (ssize_t)strlen(ASK) &&
                     read(fd, answer, sizeof answer - 1) > 0;
    (void)close(fd);
    return got && strstr(answer, " 200 ") != NULL;
}

static bool start_once(real_etcd *e)
{
    e->pid = fork();
    assert_true(e->pid >= 0);
    if (e->pid == 0) {
        run(e);
    }
    for (int i = 0; i < LOOKS; i++) {
        const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
        if (serves(e)) {
            return true;
        }
        if (waitpid(e->pid, NULL, WNOHANG) == e->pid) {
            e->pid = 0;
            return false; // the port was taken meanwhile
        }
        (void)nanosleep(&pause, NULL);
    }
    fail_msg("etcd does not serve");
    return false;
}

void real_etcd_start(real_etcd *e)
{
    const char *where = getenv("TMPDIR");
    for (int i = 0; i < STARTS; i++) {
        *e = (real_etcd){.port = free_port(), .peer_port = free_port()};
        snprintf(e->url, sizeof e->url, "http://127.0.0.1:%d", e->port);
        snprintf(e->folder, sizeof e->folder, "%s/carom-etcd-XXXXXX",
                 where != NULL && strlen(where) < 40 ? where : "/tmp");
        assert_non_null(mkdtemp(e->folder));
        if (start_once(e)) {
            return;
        }
        real_etcd_end(e);
    }
    fail_msg("etcd ended %d times", STARTS);
}

void real_etcd_restart(real_etcd *e)
{
    assert_int_equal(e->pid, 0);
    assert_true(start_once(e));
}

void real_etcd_signal(const real_etcd *e, int signal)
{
    assert_int_equal(kill(e->pid, signal), 0);
    int state = 0;
    if (signal == SIGSTOP) { // until all of its threads stand
        assert_int_equal(waitpid(e->pid, &state, WUNTRACED), e->pid);
        assert_true(WIFSTOPPED(state));
    }
}

void real_etcd_kill(real_etcd *e)
{
    if (e->pid > 0) {
        (void)kill(e->pid, SIGKILL);
        (void)waitpid(e->pid, NULL, 0);
        e->pid = 0;
    }
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

void real_etcd_end(real_etcd *e)
{
    char log[80];
    real_etcd_kill(e);
    snprintf(log, sizeof log, "%s.log", e->folder);
    (void)unlink(log);
    (void)nftw(e->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
