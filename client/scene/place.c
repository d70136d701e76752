// See place.h.
#include "client/scene/place.h"

#include <stdio.h>
#include <string.h>

#include "proto/scene/scene.h"

bool place_in_scene(const char *text, size_t size, uint32_t first, error *err)
{
    char place[ERROR_TEXT_MAX];
    unsigned index = 0;
    int used = 0;
    if (sscanf(err->text, "commands[%u]%n", &index, &used) != 1 || used == 0 ||
        !scene_place(text, size, first + index, place, sizeof place)) {
        return false;
    }
    error placed;
    error_set(&placed, err->status, "%s", err->text + used + strspn(err->text + used, ".: "));
    error_prefix(&placed, "%s", place);
    *err = placed;
    return true;
}
