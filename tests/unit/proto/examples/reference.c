// See reference.h. One thread.
#include "tests/unit/proto/examples/reference.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/physics/physics.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/methods.h"
#include "proto/log/log_compact.h"
#include "proto/packed/packed.h"

// Prints the settings of each kind of joint, and separately those that joint.set can change.
static void print_joint_kinds(void)
{
    printf("## joint kinds\n| kind | given for good | `joint.set` can change |\n"
           "| --- | --- | --- |\n");
    for (int kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        uint32_t all = joint_kind_fields((joint_kind)kind);
        uint32_t settable = joint_kind_settable((joint_kind)kind);
        const uint32_t columns[] = {all & ~settable, settable};
        printf("| `%s`", joint_kind_name((joint_kind)kind));
        for (int column = 0; column < 2; column++) {
            printf(" |");
            for (uint32_t bit = 0; bit < JOINT_FIELD_COUNT; bit++) {
                if ((columns[column] >> bit & 1) != 0) {
                    printf(" `%s`", joint_field_name((joint_field)(1u << bit)));
                }
            }
        }
        printf(" |\n");
    }
}

// Prints the numbers of methods in the compact form.
static void print_compact_numbers(void)
{
    printf("## compact numbers\nThe tables of this version have the number %" PRIu32 ".\n\n"
           "| number | method |\n| ---: | --- |\n",
           log_compact_tables());
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (log_compact_has((method)m)) {
            printf("| %d | `%s` |\n", m, METHODS[m].list.name);
        }
    }
}

void reference_print(void)
{
    print_joint_kinds();
    print_compact_numbers();
}

void reference_print_limits(void)
{
#define LIMIT(name) printf(#name " %lld\n", (long long)(name))
    LIMIT(WIRE_MESSAGE_BYTES_DEFAULT);
    LIMIT(WIRE_DEPTH_MAX);
    LIMIT(WIRE_VALUES_MAX);
    LIMIT(WIRE_APPLY_COMMANDS_MAX);
    LIMIT(WIRE_STEP_TICKS_MAX);
    LIMIT(PACKED_BODIES_MAX);
    LIMIT(WIRE_QUERY_HITS_MAX);
    LIMIT(WIRE_ECHO_BYTES_MAX);
    LIMIT(WIRE_REPLY_BYTES_MAX);
    LIMIT(PHYSICS_BODY_SHAPES_MAX);
    LIMIT(PHYSICS_SHAPES_MAX);
    LIMIT(PHYSICS_JOINTS_MAX);
    LIMIT(PHYSICS_CONTACTS_MAX);
    LIMIT(PHYSICS_CONTACTS_LEAST);
    LIMIT(PHYSICS_CONTACTS_PER_SHAPE);
    LIMIT(PHYSICS_MEETINGS_MAX);
    LIMIT(PHYSICS_CHAIN_POINTS_MAX);
    LIMIT(ERROR_TEXT_MAX);
    LIMIT(LOG_COMMANDS_MAX);
    LIMIT(LOG_TICKS_MAX);
    LIMIT(LOG_RECORD_BYTES_MAX);
    LIMIT(ENCODE_ROW_BYTES_MAX);
}
