// A count and its noun, as two arguments for "%llu %s": "1 body", "2 bodies". `count` is evaluated
// twice. Pure; any thread.
#ifndef CAROM_COMMON_BASE_COUNTED_H
#define CAROM_COMMON_BASE_COUNTED_H

#define COUNTED(count, one, many) (unsigned long long)(count), (count) == 1 ? (one) : (many)

#endif
