// Images that wait, and the one that is being written, a piece at a time between groups. Storage
// thread.
#include "server/storage/turn.h"

#include "common/base/assert.h"
#include "common/base/log.h"

static void start_image(storage *s)
{
    ASSERT(s->job.request == NULL);
    store_request *r = chain_pop(&s->images);
    if (r == NULL) {
        return;
    }
    ASSERT(r->kind == STORE_CHECKPOINT && r->bytes != NULL);
    // Higher than the number of any image that the log names, or may name after a crash.
    s->next_image = s->next_image > s->log.written ? s->next_image : s->log.written + 1;
    image_header h = {
        .version = FORMAT_VERSION,
        .store = s->log.store,
        .world = r->world->number,
        .number = s->next_image++,
        .sequence = r->sequence,
        .tick = r->last_tick,
        .hash = r->hash,
        .has_hash = r->has_hash,
        .size = r->bytes->size,
    };
    image_writer_init(&s->job.writer, s->disk, &h, r->bytes);
    s->job.took_ns = 0;
    s->job.request = r;
}

// Ends the job of an image that is on the disk: the log must record it.
static void end_image(storage *s)
{
    const store_request *from = s->job.request;
    ASSERT(from != NULL);
    store_request *r = store_request_make(STORE_CHECKPOINTED, from->world);
    r->sequence = from->sequence;
    r->last_tick = from->last_tick;
    r->hash = from->hash;
    r->has_hash = from->has_hash;
    r->covered_bytes = from->covered_bytes;
    r->checkpoint = (checkpoint_info){
        .exists = true,
        .has_hash = from->has_hash,
        .sequence = from->sequence,
        .tick = from->last_tick,
        .hash = from->hash,
        .image = s->job.writer.header.number,
        .size = from->bytes->size,
        .crc = s->job.writer.crc,
    };
    storage_push_front(s, r); // before the world's own end, if that waits
}

// Writes one piece, and adds its time to the image's. See storage_image_turn.
static status write_piece(storage *s, bool *complete, error *err)
{
    if (!storage_alive(s)) {
        return error_set(err, s->dead, "%s", s->dead_text);
    }
    const int64_t began = s->options.clock();
    const status result = image_writer_step(&s->job.writer, complete, err);
    s->job.took_ns += s->options.clock() - began;
    atomic_store_explicit(&s->image_took_ns, s->job.took_ns, memory_order_relaxed);
    return result;
}

// Writes one piece of the current image, or of the next one.
void storage_write_image(storage *s)
{
    if (s->job.request == NULL) {
        start_image(s);
    }
    store_request *r = s->job.request;
    if (r == NULL) {
        return;
    }
    bool complete = false;
    error err;
    status result = write_piece(s, &complete, &err);
    if (result == STATUS_OK && !complete) {
        return;
    }
    if (complete) {
        end_image(s);
    } else {
        log_error("world '%s': %s", r->world->name, err.text);
        storage_note_figures(s, 0, 0, 0, 1);
        stored_set_checkpoint_state(r->world, STATUS_UNAVAILABLE, err.text);
        if (s->job.writer.lost && storage_alive(s)) {
            storage_die(s, &err);
        }
        storage_wake_touched(s);
    }
    image_writer_deinit(&s->job.writer);
    s->job.request = NULL;
    store_request_free(s, r);
}

void storage_drop_images(storage *s, storage_world *w)
{
    request_chain kept;
    chain_init(&kept);
    store_request *r;
    while ((r = chain_pop(&s->images)) != NULL) {
        if (r->world == w) {
            store_request_free(s, r);
        } else {
            chain_push(&kept, r);
        }
    }
    while ((r = chain_pop(&kept)) != NULL) {
        chain_push(&s->images, r);
    }
    if (s->job.request != NULL && s->job.request->world == w) {
        image_writer_deinit(&s->job.writer);
        store_request_free(s, s->job.request);
        s->job.request = NULL;
    }
}
