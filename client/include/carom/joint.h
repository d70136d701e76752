// Joints: typed helpers. carom/world.h has the rules that all of them share, carom/describe.h the
// settings.
#ifndef CAROM_JOINT_H
#define CAROM_JOINT_H

#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/describe.h>
#include <carom/export.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

CAROM_API carom_value *carom_joint_create_args(const char *world,
                                               const carom_joint_settings *settings);
// Makes a joint; *joint is its id. (*)
CAROM_API carom_status carom_joint_create(carom_client *client, const char *world,
                                          const carom_joint_settings *settings, int timeout_ms,
                                          uint64_t *joint, uint64_t *tick, carom_error *error);
// Changes the given settings that can be changed: length and the members after it in the struct.
CAROM_API carom_value *carom_joint_set_args(const char *world, uint64_t joint,
                                            const carom_joint_settings *settings);
CAROM_API carom_status carom_joint_set(carom_client *client, const char *world, uint64_t joint,
                                       const carom_joint_settings *settings, int timeout_ms,
                                       uint64_t *tick, carom_error *error); // (*)
CAROM_API carom_status carom_joint_remove(carom_client *client, const char *world, uint64_t joint,
                                          int timeout_ms, uint64_t *tick,
                                          carom_error *error); // (*)
CAROM_API carom_status carom_joint_get(carom_client *client, const char *world, uint64_t joint,
                                       int timeout_ms, carom_joint_info *out, carom_error *error);
// All joints of a world: at most `max` go into `joints` (may be NULL with max 0), *count is how
// many there are.
CAROM_API carom_status carom_joint_list(carom_client *client, const char *world,
                                        carom_joint_info *joints, size_t max, int timeout_ms,
                                        size_t *count, carom_error *error);

CAROM_END_DECLS

#endif
