// Faults planted into the server from outside, by the linker: the simulator has to find each.
#ifndef CAROM_TESTS_SIMULATION_PLANT_H
#define CAROM_TESTS_SIMULATION_PLANT_H

#include <stdbool.h>

#include "tests/unit/storage/fake_disk.h"

bool plant_known(const char *name);
const char *plant_names(void);

// Begins a run on that disk.
void plant_begin(fake_disk *d);

#endif
