// See report.h.
#include "tests/bench/network/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/base/assert.h"
#include "tests/bench/caromd.h"
#include "tests/bench/processor.h"

enum { TABLES_MAX = 32, PATH_BYTES = 1024 };

struct report {
    const char *bench, *svg;
    const char *names[TABLES_MAX];
    table *tables[TABLES_MAX];
    int count;
};

report *report_create(const char *bench, const char *svg)
{
    report *r = calloc(1, sizeof *r);
    ASSERT(r != NULL);
    r->bench = bench;
    r->svg = svg;
    return r;
}

void report_free(report *r)
{
    for (int i = 0; i < r->count; i++) {
        table_free(r->tables[i]);
    }
    free(r);
}

void report_add(report *r, const char *name, const char *title, table *t)
{
    ASSERT(r->count < TABLES_MAX);
    r->names[r->count] = name;
    r->tables[r->count++] = t;
    printf("%s\n\n", title);
    table_print(t, stdout);
    putchar('\n');
    fflush(stdout);
}

void report_plot(const report *r, const char *name, const plot *p)
{
    char path[PATH_BYTES];
    if (r->svg == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s.svg", r->svg, name);
    if (!plot_write_svg(p, path)) {
        fprintf(stderr, "%s: ", path);
        give_up("the plot cannot be written");
    }
}

// Finds the processor's name by Linux; "" if it has none.
static void find_processor(char *out, size_t size)
{
    static const char KEY[] = "model name";
    char line[256];
    out[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && out[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, KEY, sizeof KEY - 1) == 0 && colon != NULL) {
            snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\"\\\n"), colon + 2);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

bool report_write_json(const report *r, const char *path)
{
    char processor[128];
    struct utsname system = {0};
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return false;
    }
    find_processor(processor, sizeof processor);
    (void)uname(&system);
    fprintf(out,
            "{\"bench\": \"%s\",\n \"machine\": {\"processor\": \"%s\", "
            "\"processors\": %d, \"system\": \"%s %s\"},\n \"tables\": {",
            r->bench, processor, processor_count(), system.sysname, system.release);
    for (int i = 0; i < r->count; i++) {
        fprintf(out, "%s\n  \"%s\": ", i > 0 ? "," : "", r->names[i]);
        table_write_json(r->tables[i], out);
    }
    fprintf(out, "}}\n");
    return fclose(out) == 0;
}
