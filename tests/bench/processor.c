// Affinity of threads on Linux. Each thread calls it for itself.
#include "tests/bench/processor.h"

#include <sched.h>
#include <stddef.h>

int processor_last(void)
{
    cpu_set_t set;
    int last = -1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE; i++) {
            last = CPU_ISSET((size_t)i, &set) ? i : last;
        }
    }
    return last;
}

int processor_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

bool processor_pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}
