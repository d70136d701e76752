// How many cases a test of a law tries. A sanitizer makes each ten times as slow, and what it looks
// for shows in a fifth of them; that the law holds is shown by the optimised build (tests/run.sh
// clang), which tries all.
#ifndef CAROM_TESTS_SUPPORT_CASES_H
#define CAROM_TESTS_SUPPORT_CASES_H

#ifdef CAROM_SANITIZED
#define CASES_OF(count) (((count) + 4) / 5)
#else
#define CASES_OF(count) (count)
#endif

#endif
