// Assertions for faults of our own code, and for nothing else. They stay in release builds: a
// server that stops is better than one that computes on broken state. Hot loops use ASSERT_SLOW,
// which only debug builds check. Any thread.
#ifndef CAROM_COMMON_BASE_ASSERT_H
#define CAROM_COMMON_BASE_ASSERT_H

_Noreturn void assert_fail(const char *expression, const char *file, int line);

#define ASSERT(expression) ((expression) ? (void)0 : assert_fail(#expression, __FILE__, __LINE__))

#ifdef NDEBUG
#define ASSERT_SLOW(expression) ((void)0)
#else
#define ASSERT_SLOW(expression) ASSERT(expression)
#endif

#endif
