// All typed helpers at once.
#ifndef CAROM_CALLS_H
#define CAROM_CALLS_H

#include <carom/arguments.h>
#include <carom/batch.h>
#include <carom/body.h>
#include <carom/joint.h>
#include <carom/query.h>
#include <carom/world.h>

#endif
