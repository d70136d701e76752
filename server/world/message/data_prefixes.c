// See data_prefixes.h. Any thread.
#include "server/world/message/data_prefixes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/command_memory.h"

data_prefixes *data_prefixes_create(const char *const *texts, uint32_t count)
{
    if (count == 0) {
        return NULL;
    }
    data_prefixes *p = calloc(1, sizeof *p + count * sizeof *p->texts);
    ASSERT_MEMORY(p != NULL);
    p->count = count;
    for (uint32_t i = 0; i < count; i++) {
        ASSERT(strlen(texts[i]) <= DATA_KEY_BYTES_MAX);
        strcpy(p->texts[i], texts[i]);
    }
    return p;
}

size_t data_prefixes_bytes(uint32_t count)
{
    const data_prefixes *p = NULL;
    return count == 0 ? 0 : sizeof *p + count * sizeof *p->texts;
}

bool data_prefixes_has(const data_prefixes *p, const char *key)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (strncmp(key, p->texts[i], strlen(p->texts[i])) == 0) {
            return true;
        }
    }
    return false;
}

int data_prefixes_compare(const data_prefixes *a, const data_prefixes *b)
{
    if (a == NULL || b == NULL) {
        return (a != NULL) - (b != NULL);
    }
    int order = (a->count > b->count) - (a->count < b->count);
    for (uint32_t i = 0; i < a->count && order == 0; i++) {
        order = strcmp(a->texts[i], b->texts[i]);
    }
    return order;
}

void data_prefixes_give(const data_prefixes *p, command *subscribe)
{
    ASSERT(subscribe->method == METHOD_WORLD_SUBSCRIBE);
    const uint32_t count = p == NULL ? 0 : p->count;
    const char **texts = command_memory_take(&subscribe->memory, count, sizeof *texts);
    for (uint32_t i = 0; i < count; i++) {
        texts[i] = command_memory_text(&subscribe->memory, p->texts[i], strlen(p->texts[i]));
    }
    subscribe->subscribe.data = texts;
    subscribe->subscribe.data_count = count;
}
