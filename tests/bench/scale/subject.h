// The subject of a measurement: a world of some kind and some size, of carom or of another engine
// that was found when this was built.
#ifndef CAROM_TESTS_BENCH_SCALE_SUBJECT_H
#define CAROM_TESTS_BENCH_SCALE_SUBJECT_H

#include <stdint.h>

typedef enum kind {
    SPREAD, // balls that move freely, each on its own 16 m²: broad phase and integration
    PILED,  // a wall of bricks, 20 high, as wide as necessary, kept awake: contacts
    ASLEEP, // the same wall, which may fall asleep
    KIND_COUNT
} kind;

const char *kind_name(kind of);

enum { ENGINES_MAX = 2 };

typedef struct subject subject;

// Engines are numbered from 0, which is carom.
int subject_engines(void);
const char *subject_engine(int which); // its name
subject *subject_create(int which, kind what, uint32_t bodies);
void subject_free(subject *s);
void subject_step(subject *s);
uint32_t subject_contacts(const subject *s); // pairs that touch
uint32_t subject_awake(const subject *s);    // bodies

#endif
