// When a body may sleep; see sleep.c. How slow it must be is the world's sleep_speed.
#ifndef CAROM_COMMON_PHYSICS_STEP_SLEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SLEEP_H

#define SLEEP_TIME            0.5f  // time for which a body must be slow [s]
#define SLEEP_TIME_OF_JOINTED 0.75f // and one with joints: it is looked at twice or more

// A body has moved if it went farther in SLEEP_TIME than this share of the way at sleep_speed:
// 0.05 mm, if that has its default.
#define MOVED_SHARE 0.002f

// A pile that settles counts as resting while its bodies gain no more than this share of that way,
// or no more than on a frictionless slope of this gradient.
#define SETTLING_SHARE 0.05f
#define SETTLING_SLOPE 0.001f

enum {
    SLEEP_CHECK_TICKS =
        8 // islands are looked for only every so many steps: a few hundredths of a step's cost
};

#endif
