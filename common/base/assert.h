// Assertions for what only a fault of ours can break. They stay in release builds: a server that
// computes on broken state is worse than one that stops. Where a check would cost in a hot loop,
// use ASSERT_SLOW, which debug builds alone carry out.
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
