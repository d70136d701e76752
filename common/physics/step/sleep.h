// The speed and time at which a body is slow enough to sleep; see sleep.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SLEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SLEEP_H

#define SLEEP_SPEED 0.05f // slower than this, a body may fall asleep [m/s, at its edge too]
#define SLEEP_TIME  0.5f  // [s] for which it must be slow

enum {
    SLEEP_CHECK_TICKS =
        8 // islands are looked for only every so many steps: a few hundredths of a step's cost
};

#endif
