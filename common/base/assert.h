// Assertions for faults of our own code, and for nothing else. They stay in release builds: a
// server that stops is better than one that computes on broken state. Hot loops use ASSERT_SLOW,
// which only debug builds check. Memory that the system refuses is nobody's fault: ASSERT_MEMORY
// ends the process with a line that says so. Any thread.
//
// CAROM_SMALL is defined for a program that must above all be small: the engine that a page loads
// (client/web/engine). It leaves texts for people out.
#ifndef CAROM_COMMON_BASE_ASSERT_H
#define CAROM_COMMON_BASE_ASSERT_H

#ifdef CAROM_SMALL
// As assert_fail, without the text: `file` is CAROM_FILE, a number that the build assigns.
_Noreturn void assert_fail_at(int file, int line);

#define ASSERT(expression) ((expression) ? (void)0 : assert_fail_at(CAROM_FILE, __LINE__))
#define ASSERT_MEMORY(had) ASSERT(had)
#else
_Noreturn void assert_fail(const char *expression, const char *file, int line);
_Noreturn void assert_no_memory(const char *file, int line);

#define ASSERT(expression) ((expression) ? (void)0 : assert_fail(#expression, __FILE__, __LINE__))

// Ends the process unless the allocation succeeded, as in `ASSERT_MEMORY(made != NULL)`.
#define ASSERT_MEMORY(had) ((had) ? (void)0 : assert_no_memory(__FILE__, __LINE__))
#endif

#ifdef NDEBUG
#define ASSERT_SLOW(expression) ((void)0)
#else
#define ASSERT_SLOW(expression) ASSERT(expression)
#endif

#endif
