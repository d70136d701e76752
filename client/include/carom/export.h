// The exported interface of libcarom: functions marked CAROM_API, and nothing else.
//
// Options are structs that begin in one of two ways:
//   carom_body_options b = {0};                          zero: fields that are 0 (false, NULL, 0.0)
//                                                        stand for their defaults
//   carom_body_options b = carom_body_options_default(); exact: every field is taken literally, so
//                                                        that gravity_scale = 0 is no gravity
// `exact`, their first member, distinguishes the two. A default other than 0 is documented at its
// field. A NULL pointer to options stands for all defaults.
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
