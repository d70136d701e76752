// The memory of the machine or of the process's control group; see memory.h.
//
// A process belongs to a group of each hierarchy, which /proc/self/cgroup lists ("0::/path" of
// version 2, "9:memory:/path" of version 1), and the groups above it have limits too. A container
// sees its own group as the root, whatever that file says, so a path that is not there counts as
// "/".
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "server/base/memory.h"

enum { LINE_BYTES_MAX = PATH_MAX + 64 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// The number at the start of the file; UINT64_MAX without a file, and for "max".
static uint64_t read_number(const char *root, const char *folder, const char *group,
                            const char *name)
{
    char path[3 * PATH_MAX];
    char line[64] = "";
    snprintf(path, sizeof path, "%s%s%s/%s", root, folder, group, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return UINT64_MAX;
    }
    const bool got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *end = line;
    errno = 0;
    const uint64_t value = strtoull(line, &end, 10);
    return got && end != line && errno == 0 ? value : UINT64_MAX;
}

// The least bound of the group and its ancestors.
static uint64_t least_bound(const char *root, const char *folder, char *group, const char *name)
{
    uint64_t least = read_number(root, folder, "", name);
    for (size_t size = strlen(group); size > 0; size = strlen(group)) {
        least = lesser(least, read_number(root, folder, group, name));
        char *slash = strrchr(group, '/');
        *(slash != NULL ? slash : group) = '\0';
    }
    return least;
}

static bool names_memory(const char *controllers)
{
    const char *found = strstr(controllers, "memory");
    return found != NULL && (found == controllers || found[-1] == ',') &&
           (found[6] == '\0' || found[6] == ',');
}

// Parses a line "ID:CONTROLLERS:PATH" and returns the bound of its group.
static uint64_t bound_of_line(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) {
        return UINT64_MAX;
    }
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    controllers++;
    if (*controllers == '\0') {
        return least_bound(root, "/sys/fs/cgroup", group, "memory.max");
    }
    return names_memory(controllers)
               ? least_bound(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
               : UINT64_MAX;
}

static uint64_t bound_of_groups(const char *root)
{
    char path[PATH_MAX];
    char line[LINE_BYTES_MAX];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        least = lesser(least, bound_of_line(root, line));
    }
    if (file != NULL) {
        fclose(file);
    }
    return least;
}

// The kernel's own number, for a process that does not see /proc/meminfo (systemd's
// ProcSubset=pid).
static uint64_t total_of_kernel(void)
{
    struct sysinfo told;
    return sysinfo(&told) == 0 ? (uint64_t)told.totalram * told.mem_unit : 0;
}

static uint64_t total_of_machine(const char *root)
{
    char path[PATH_MAX];
    char line[128];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemTotal: %llu kB", &kib) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    uint64_t bytes = (uint64_t)kib * 1024;
    if (bytes == 0 && *root == '\0') {
        bytes = total_of_kernel();
    }
    return bytes > 0 ? bytes : UINT64_MAX;
}

uint64_t memory_of_machine(const char *root)
{
    const uint64_t least = lesser(total_of_machine(root), bound_of_groups(root));
    return least == UINT64_MAX ? 0 : least;
}
