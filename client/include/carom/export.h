// What libcarom shows to the outside: functions marked CAROM_API, and nothing else.
//
// All of libcarom: units are metres, seconds, kilograms, radians, counter-clockwise positive. Every
// header compiles alone, in C11 and in C++11.
#ifndef CAROM_EXPORT_H
#define CAROM_EXPORT_H

#if defined(__GNUC__)
#define CAROM_API __attribute__((visibility("default")))
#else
#define CAROM_API
#endif

#ifdef __cplusplus
#define CAROM_BEGIN_DECLS extern "C" {
#define CAROM_END_DECLS   }
#else
#define CAROM_BEGIN_DECLS
#define CAROM_END_DECLS
#endif

#endif
