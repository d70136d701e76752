// Converts the table of proto/methods.h to public structs. Any thread.
#include <carom/methods.h>

#include <string.h>

#include "proto/methods.h"

static const char *text_or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

size_t carom_method_count(void)
{
    return METHOD_COUNT;
}

bool carom_method_at(size_t index, carom_method *out)
{
    if (index >= METHOD_COUNT || out == NULL) {
        return false;
    }
    const method_info *info = &METHODS[index];
    *out = (carom_method){
        .name = info->list.name,
        .doc = text_or_empty(info->summary),
        .result = text_or_empty(info->result),
        .role = role_name(info->rights),
        .argument_count = info->list.count,
        .batch = info->batch,
        .available = info->available,
    };
    return true;
}

bool carom_method_find(const char *name, carom_method *out, size_t *index)
{
    const method_info *info = name == NULL ? NULL : method_find(name, strlen(name));
    if (info == NULL) {
        return false;
    }
    if (index != NULL) {
        *index = (size_t)info->id;
    }
    if (out != NULL) {
        carom_method_at((size_t)info->id, out);
    }
    return true;
}

bool carom_method_argument(size_t index, size_t argument, carom_argument *out)
{
    if (out == NULL || index >= METHOD_COUNT || argument >= METHODS[index].list.count) {
        return false;
    }
    const method_arg *arg = &METHODS[index].list.args[argument];
    *out = (carom_argument){
        .name = arg->name,
        .type = arg_type_name(arg->type),
        .unit = text_or_empty(arg->unit),
        .choices = text_or_empty(arg->choices),
        .fallback = text_or_empty(arg->fallback),
        .doc = text_or_empty(arg->doc),
        .required = arg->required,
    };
    return true;
}
