// All headers of libcarom; each describes its own part. client/examples/hello.c is a first program.
//
// carom/json.h and carom/scene.h belong to libcarom-scene and are not included here;
// carom/carom.hpp is the C++17 wrapper.
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include <carom/arguments.h>
#include <carom/batch.h>
#include <carom/body.h>
#include <carom/calls.h>
#include <carom/client.h>
#include <carom/clock.h>
#include <carom/describe.h>
#include <carom/epoch.h>
#include <carom/export.h>
#include <carom/interpolation.h>
#include <carom/joint.h>
#include <carom/methods.h>
#include <carom/query.h>
#include <carom/referee.h>
#include <carom/shape.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>
#include <carom/view.h>
#include <carom/watch.h>
#include <carom/world.h>

#endif
