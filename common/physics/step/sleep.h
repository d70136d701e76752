// When a body may sleep; see sleep.c. The world's sleep_speed is the limit for slow bodies.
#ifndef CAROM_COMMON_PHYSICS_STEP_SLEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SLEEP_H

#define SLEEP_TIME            0.5f  // time for which a body must be slow [s]
#define SLEEP_TIME_OF_JOINTED 0.75f // longer for a body with joints, which is tested twice or more

// A body has moved if it went farther in SLEEP_TIME than this share of the distance at sleep_speed:
// 0.05 mm with the default speed.
#define MOVED_SHARE 0.002f

// A settling pile counts as resting while its bodies gain no more than this share of that distance,
// or no more than on a frictionless slope of this gradient.
#define SETTLING_SHARE 0.05f
#define SETTLING_SLOPE 0.001f

// Islands are searched only every so many steps: a search takes a few hundredths of a step's time.
enum { SLEEP_CHECK_TICKS = 8 };

#endif
