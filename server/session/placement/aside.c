// See aside.h.
#include "server/session/placement/aside.h"

#include <string.h>

#include "common/base/log.h"

void aside_begin(aside_list *a, const char *directory, const char *const *loaded,
                 uint32_t loaded_count)
{
    error why;
    *a = (aside_list){.directory = directory, .loaded = loaded, .loaded_count = loaded_count};
    if (directory != NULL && (crash_read(directory, &a->lines, &why) != STATUS_OK ||
                              crash_watch(directory, &why) != STATUS_OK)) {
        log_warn("cannot record worlds that end the process: %s", why.text);
    }
}

static bool is_loaded(const aside_list *a, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < a->loaded_count && !found; i++) {
        found = strcmp(a->loaded[i], name) == 0;
    }
    return found;
}

bool aside_has(aside_list *a, const char *name, uint64_t world, error *why)
{
    const bool loaded = is_loaded(a, name);
    const crash_line *last[CRASHES_MAX] = {NULL};
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->lines.count; i++) {
        const crash_line *line = &a->lines.data[i];
        if (line->world == world && !loaded) {
            array_push(&a->kept, *line);
            last[count++ % CRASHES_MAX] = line;
        }
    }
    if (count < CRASHES_MAX) {
        return false;
    }
    _Static_assert(CRASHES_MAX == 2, "the text names both");
    error_set(why, STATUS_UNAVAILABLE,
              "is set aside: caromd ended in its ticks %u times (%s, %s). Its log is kept: 'caromd "
              "--load-aside %s' runs it once more, world.destroy drops it",
              count, last[0]->signal, last[1]->signal, name);
    return true;
}

void aside_finish(aside_list *a)
{
    error why;
    const bool changed = a->kept.count < a->lines.count;
    if (changed && (crash_write(a->directory, &a->kept, &why) != STATUS_OK ||
                    crash_watch(a->directory, &why) != STATUS_OK)) {
        log_warn("cannot update the list of worlds that ended the process: %s", why.text);
    }
    aside_drop(a);
}

void aside_drop(aside_list *a)
{
    array_free(&a->lines);
    array_free(&a->kept);
}
