// Typed helpers for joints. One thread at a time for a client.
#include <carom/joint.h>

#include "client/lib/call.h"
#include "client/lib/describe.h"

carom_value *carom_joint_create_args(const char *world, const carom_joint_settings *settings)
{
    if (settings == NULL) {
        return NULL;
    }
    const char *kind = carom_joint_kind_name(settings->kind);
    carom_value *args = world_args(world);
    carom_set(args, "kind", carom_str(kind == NULL ? "" : kind)); // the server reports the error
    if (settings->a != 0) {
        carom_set(args, "a", id_value(settings->a));
    }
    if (settings->b != 0) {
        carom_set(args, "b", id_value(settings->b));
    }
    set_joint_settings(args, settings, false);
    return args;
}

carom_status carom_joint_create(carom_client *client, const char *world,
                                const carom_joint_settings *settings, int timeout_ms,
                                uint64_t *joint, uint64_t *tick, carom_error *err)
{
    if (settings == NULL) {
        return fault_missing(err, "settings");
    }
    return call_maker(client, world, "joint.create", carom_joint_create_args(world, settings),
                      "joint", timeout_ms, joint, tick, err);
}

carom_value *carom_joint_set_args(const char *world, uint64_t joint,
                                  const carom_joint_settings *settings)
{
    if (settings == NULL) {
        return NULL;
    }
    carom_value *args = carom_set(world_args(world), "joint", id_value(joint));
    set_joint_settings(args, settings, true);
    return args;
}

carom_status carom_joint_set(carom_client *client, const char *world, uint64_t joint,
                             const carom_joint_settings *settings, int timeout_ms, uint64_t *tick,
                             carom_error *err)
{
    if (settings == NULL) {
        return fault_missing(err, "settings");
    }
    return call_command(client, world, "joint.set", carom_joint_set_args(world, joint, settings),
                        timeout_ms, tick, err);
}

carom_status carom_joint_get(carom_client *client, const char *world, uint64_t joint,
                             int timeout_ms, carom_joint_info *out, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_value *result = NULL;
    carom_status outcome = call_answer(client, world, "joint.get", id_args(world, "joint", joint),
                                       timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        outcome = describe_joint(result, out, err);
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_joint_list(carom_client *client, const char *world, carom_joint_info *joints,
                              size_t max, int timeout_ms, size_t *count, carom_error *err)
{
    if (joints == NULL && max > 0) {
        return fault_missing(err, "joints");
    }
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "joint.list", world_args(world), timeout_ms, &result, err);
    const carom_value *list = carom_value_get(result, "joints");
    size_t told = carom_value_count(list);
    for (size_t i = 0; i < told && i < max && outcome == CAROM_OK; i++) {
        outcome = describe_joint(carom_value_at(list, i), &joints[i], err);
    }
    if (outcome == CAROM_OK && count != NULL) {
        *count = told;
    }
    carom_value_free(result);
    return outcome;
}
