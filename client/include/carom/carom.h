// libcarom: everything at once. See README.md for a first program; each header says what it is
// about.
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include <carom/calls.h>
#include <carom/client.h>
#include <carom/export.h>
#include <carom/methods.h>
#include <carom/scene.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>
#include <carom/view.h>

#endif
