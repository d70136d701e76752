// caromd: reads the operator's settings, runs the loop, and stops on SIGTERM and SIGINT. SIGUSR1
// refuses new sessions and stops later (drain); SIGHUP reloads its keys. It listens on sockets of
// its own, of the service manager (process/activation.h), or of the server that it takes over from
// (process/takeover.h).
//
// Exit codes: 0 after a clean shutdown, 1 when the server could not run, 2 for a wrong option.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/home.h"
#include "server/base/memory.h"
#include "server/config/config_check.h"
#include "server/main/process.h"
#include "server/process/bounds.h"
#include "server/session/resume/session_store_file.h"
#include "server/storage/storage.h"

static int check_config(const config *c)
{
    error err;
    if (config_check(c, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_WRONG_OPTION;
    }
    printf("%s: sound\n", *c->file != '\0' ? c->file : "the options");
    return EXIT_SUCCESS;
}

static int check_data(const config *c)
{
    storage_report r;
    error err;
    if (storage_check(c->data, NULL, &r, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_COULD_NOT_RUN;
    }
    printf("%s: sound. %llu %s, %llu %s of %llu bytes in %llu %s, %llu %s of %llu bytes; %s\n",
           c->data, COUNTED(r.worlds, "world", "worlds"), COUNTED(r.records, "record", "records"),
           (unsigned long long)r.bytes, COUNTED(r.segments, "segment", "segments"),
           COUNTED(r.images, "image", "images"), (unsigned long long)r.image_bytes,
           r.clean ? "the last server closed it"
                   : "the last server did not close it; the next one goes on from its log");
    if (r.torn_bytes > 0) {
        printf("%llu %s at the end are an unfinished write, which the next server cuts off\n",
               COUNTED(r.torn_bytes, "byte", "bytes"));
    }
    session_store_report sessions;
    if (session_store_file_read(c->data, NULL, NULL, &sessions, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_COULD_NOT_RUN;
    }
    if (sessions.there) {
        printf("%llu %s of sessions in %llu bytes, sound\n",
               COUNTED(sessions.records, "record", "records"), (unsigned long long)sessions.size);
    }
    return EXIT_SUCCESS;
}

// Warns of variables that are probably misspelt, and so have no effect.
static void check_environment(bool serves)
{
    char name[VARIABLES_NAME_MAX];
    const char *meant = NULL;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (config_misspelt(*entry, name, &meant)) {
            if (serves) {
                log_warn("%s has no effect; did you mean %s?", name, meant);
            } else {
                fprintf(stderr, "caromd: %s has no effect; did you mean %s?\n", name, meant);
            }
        }
    }
}

int main(int argc, char **argv)
{
    config c;
    error err;
    int code = EXIT_SUCCESS;
    if (config_load(&c, argc, (const char *const *)argv, getenv, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s (caromd --help lists the options)\n", err.text);
        code = EXIT_WRONG_OPTION;
    } else if (c.help) {
        config_help(stdout);
    } else if (c.version) {
        puts("caromd " CAROM_VERSION);
    } else if (c.check_config) {
        check_environment(false);
        code = check_config(&c);
    } else if (c.check_data) {
        code = check_data(&c);
    } else {
        log_set_level(c.log);
        log_set_format(c.log_format);
        check_environment(true);
        bounds_fit_descriptors(&c.limits, *c.http_host != '\0', c.proxies.count > 0,
                               c.io_threads > 1 ? (uint32_t)c.io_threads : 0);
        bounds_fit_memory(&c.limits, c.memory);
        home_begin(); // home of the network thread
        code = process_serve(&c);
        home_end();
        memory_end();
    }
    config_deinit(&c);
    return code;
}
