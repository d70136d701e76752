// The parts of a snapshot that its decoder (snapshot.c) reads with functions of their own. A
// function fails its reader if the bytes are no such part, or if memory has run out.
#ifndef CAROM_CLIENT_LIB_SNAPSHOT_READ_H
#define CAROM_CLIENT_LIB_SNAPSHOT_READ_H

#include "client/lib/reader.h"
#include "client/lib/snapshot.h"

// ---- snapshot_read.c

carom_vec2 snapshot_read_vec(reader *r);
// An id, which is never 0.
uint64_t snapshot_read_id(reader *r);
// Fails the reader if an element could not be stored because memory has run out.
void snapshot_keep(reader *r, bool stored);
// False: the text does not fit `out` with its closing zero.
bool snapshot_copy_text(reader_text text, char *out, size_t out_size);
carom_contact snapshot_read_contact(reader *r);

// ---- snapshot_events.c

// Reads an event into `events`, and its texts into `names` or `messages`.
void snapshot_read_event(snapshot_decoder *d, reader *r);
// Sets the pointers of the events' texts, whose arrays have stopped growing.
void snapshot_name_events(snapshot_decoder *d);

#endif
