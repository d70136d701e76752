// Shared by the sources of a turn of the storage thread: commit.c calls the others.
#ifndef CAROM_SERVER_STORAGE_TURN_H
#define CAROM_SERVER_STORAGE_TURN_H

#include "server/storage/internal.h"

// ---- owners.c

// Records that the owner must be woken when the group is done.
void stored_touch(storage_world *w);
void storage_wake_touched(storage *s);
// Publishes that the world's log is committed up to `sequence`.
void stored_publish(storage_world *w, uint64_t sequence);
// The request `sequence` of the world could not be logged. The first error is kept.
void stored_fail(storage_world *w, uint64_t sequence, const error *err);
// Lets a failed world's log continue.
void stored_heal(storage_world *w);
void stored_set_checkpoint_state(storage_world *w, status state, const char *text);
// Declares the log lost: no world's records are accepted any more.
void storage_die(storage *s, const error *err);
void storage_die_if_lost(storage *s);
bool storage_alive(const storage *s);

// ---- group_records.c

void group_add_request(storage *s, const store_request *r);

// ---- commit.c

status storage_sync_log(storage *s, error *err);
// Adds to the figures, and updates those of the log.
void storage_note_figures(storage *s, uint64_t groups, uint64_t bytes, uint64_t syncs,
                          uint64_t failures);

// ---- finish.c

// `err`: why the group failed, or NULL.
void storage_finish_group(storage *s, const error *err);

// ---- image_job.c

// Writes one piece of the current image, or of the next one.
void storage_write_image(storage *s);
// Drops the images of a destroyed world.
void storage_drop_images(storage *s, storage_world *w);

#endif
