// What contact_fill.c gives to the table of kernels, in each variant; see contact_kernels in
// contact_lanes.h. Only for files that are compiled once a variant.
#ifndef CAROM_COMMON_PHYSICS_CONTACT_FILL_H
#define CAROM_COMMON_PHYSICS_CONTACT_FILL_H

#include "common/physics/contact_lanes.h"
#include "common/physics/lanes_kernel.h"

blows_state VARIANT_OF(contact_fill_)(const physics_world *world, contact_lanes *group,
                                      const uint32_t *slots, uint32_t count);
touch_changes VARIANT_OF(contact_store_)(const contact_lanes *group, contact *contacts);

#endif
