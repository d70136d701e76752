// See scene_list.h.
#include "client/cli/scene_list.h"

#include <string.h>

static const char *describe(const char *name)
{
    for (const scene_entry *e = scene_entries; e->name != NULL; e++) {
        if (strcmp(e->name, name) == 0) {
            return e->description;
        }
    }
    return "";
}

static carom_value *entry(const char *name, const char *description)
{
    carom_value *map = carom_set(carom_map(), "scene", carom_str(name));
    return carom_set(map, "description", carom_str(description));
}

carom_value *scene_list(const carom_value *told)
{
    carom_value *list = carom_array();
    if (carom_value_type(told) != CAROM_ARRAY) {
        for (const scene_entry *e = scene_entries; e->name != NULL; e++) {
            list = carom_push(list, entry(e->name, e->description));
        }
        return list;
    }
    for (size_t i = 0; i < carom_value_count(told); i++) {
        const carom_value *one = carom_value_at(told, i);
        const char *name = carom_as_str(one, NULL);
        name = name != NULL ? name : carom_get_str(one, "scene", "");
        const char *description = carom_get_str(one, "description", NULL);
        list = carom_push(list, entry(name, description != NULL ? description : describe(name)));
    }
    return list;
}
