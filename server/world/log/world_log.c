// Rows become records, records are committed, replies leave; see world_log.h. The world's thread.
#include "server/world/log/world_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/base/queue.h"
#include "server/world/log/world_image.h"

static const int64_t RETRY_NS = 1000000000;     // time between two images of a log that is not GOOD
static const int64_t APPEND_RETRY_NS = 1000000; // time until refused rows are tried again
static const int64_t IMAGE_GAP_NS = 5000000000; // time between two images of a sound log
static const int64_t REPLAY_NS = 2000000000;    // most step time that a restart should compute

// Images whose only purpose is a shorter restart may be made more often, as long as making them
// (about 5 ns a byte) takes a thirtieth of the steps' own time, and in turn with other worlds
// (storage_image_turn).
static const int64_t EARLY_GAP_NS = 500000000;
static const int64_t EARLY_REPLAY_NS = 10000000;
static const int64_t EARLY_NS_A_BYTE = 150;

// Steps that take longer per second are worth more entries, so that fewer of them are promised
// ahead.
static const int64_t COSTLY_SECOND_NS = 4000000;
enum {
    IMAGE_LOG_BYTES = 32 << 20, // most bytes of records that a restart should read
    LEAVE_TRIES =
        5 // images that fail until the readers of a world are told, if it may move instead
};

_Static_assert(WORLD_LOG_ARGUMENTS_BYTES_MAX > 0, "a full log leaves room for one more command");
_Static_assert(WORLD_LOG_KEPT_BYTES_MAX <= WORLD_LOG_PENDING_BYTES_MAX,
               "readers keep no more rows than the storage");
_Static_assert(LAST_REQUESTS_NEW_MAX < 1 << WORLD_LOG_DIGESTS_BIT,
               "the number of marks leaves the bits above it free");
_Static_assert(LAST_REQUESTS_NEW_MAX <= SESSION_MARK_SLOTS_MAX, "a slot has one mark");

static uint64_t rows_end(const world_log *l)
{
    return l->rows.begin + l->rows.encoded.size;
}

static log_mark mark_now(const world_log *l, uint64_t tick)
{
    return (log_mark){.tick = tick, .offset = rows_end(l), .count = l->rows.count};
}

// Makes every change of the log's state.
static void change_state(world_log *l, world_log_state next)
{
    static const uint8_t FROM[] = {
        [WORLD_LOG_GOOD] = 1 << WORLD_LOG_NEW | 1 << WORLD_LOG_FAILED | 1 << WORLD_LOG_CLOSED,
        [WORLD_LOG_NEW] = 0, // only world_log_init() sets this state
        [WORLD_LOG_FAILED] = 1 << WORLD_LOG_NEW | 1 << WORLD_LOG_GOOD,
        [WORLD_LOG_CLOSED] = 1 << WORLD_LOG_NEW | 1 << WORLD_LOG_FAILED,
        [WORLD_LOG_ENDED] = 1 << WORLD_LOG_NEW | 1 << WORLD_LOG_GOOD | 1 << WORLD_LOG_FAILED |
                            1 << WORLD_LOG_CLOSED};
    ASSERT(l->stored != NULL);
    ASSERT((FROM[next] >> l->state & 1) != 0);
    l->state = next;
}

bool world_log_is_broken(const world_log *l)
{
    return l->state == WORLD_LOG_FAILED || l->state == WORLD_LOG_CLOSED;
}

bool world_log_should_leave(const world_log *l)
{
    return world_log_is_broken(l) && l->images.failed > 0 && l->replicated &&
           world_feed_follows(l->feed);
}

void world_log_init(world_log *l, storage_world *stored, storage_durability kept, uint64_t tick,
                    uint64_t sequence, uint64_t until, bool fresh, reply_sink out)
{
    ASSERT(out.post != NULL);
    *l = (world_log){.stored = stored,
                     .durability = kept,
                     .out = out,
                     .sequence = sequence,
                     .needed = {.until = until, .sequence = sequence},
                     .until = until,
                     .state = fresh && stored != NULL ? WORLD_LOG_NEW : WORLD_LOG_GOOD,
                     .images.tick = tick,
                     .hashed_tick = tick};
    l->written.tick = tick;
    buffer_init(&l->rows.encoded, SIZE_MAX / 2);
    commit_gate_init(&l->gate, out, fresh ? 0 : sequence);
}

void world_log_replicate(world_log *l, world_feed *feed)
{
    ASSERT(l->stored != NULL && l->feed == NULL);
    l->feed = feed;
    l->replicated = true;
    commit_gate_await_feed(&l->gate, feed);
}

bool world_log_is_replicated(const world_log *l)
{
    return l->replicated;
}

void world_log_lead_away(world_log *l, world_feed *feed, void (*on_allowed)(void *), void *context)
{
    if (l->stored == NULL || l->feed != NULL) {
        world_feed_unref(feed);
        return;
    }
    l->feed = feed;
    commit_gate_await_feed(&l->gate, feed);
    world_feed_watch(feed, on_allowed, context);
}

void world_log_disown(world_log *l)
{
    commit_gate_disown(&l->gate, STATUS_UNAVAILABLE,
                       "the world went to another server before this was answered; it may have "
                       "been applied there");
}

void world_log_deinit(world_log *l)
{
    ASSERT(l->written.offset <= rows_end(l));
    if (l->stored != NULL) {
        storage_watch(l->stored, NULL, NULL);
        storage_release(l->stored);
    }
    if (l->feed != NULL) {
        world_feed_watch(l->feed, NULL, NULL);
    }
    commit_gate_refuse(&l->gate, STATUS_UNAVAILABLE,
                       "the server ended before this was in the world's log; it may have been "
                       "applied");
    commit_gate_deinit(&l->gate);
    world_feed_unref(l->feed);
    buffer_deinit(&l->rows.encoded);
    log_digests_deinit(&l->digests);
}

void world_log_redirect(world_log *l, reply_sink out)
{
    ASSERT(out.post != NULL);
    l->out = out;
    commit_gate_redirect(&l->gate, out);
}

reply_sink world_log_open_sink(const world_log *l)
{
    return l->out;
}

reply_sink world_log_sink(world_log *l)
{
    return l->stored != NULL ? commit_gate_sink(&l->gate) : l->out;
}

bool world_log_is_stored(const world_log *l)
{
    return l->stored != NULL;
}

void world_log_keep_rows(world_log *l)
{
    l->rows.has_readers = true;
}

void world_log_add_replay(world_log *l, int64_t ns)
{
    l->images.replay_ns += ns;
}

// ---- the storage's word

void world_log_watch(world_log *l, void *waker, void (*on_committed)(void *), void *context)
{
    ASSERT(waker != NULL && atomic_load(&l->word.waker) == NULL);
    atomic_store(&l->word.waker, waker);
    if (l->stored != NULL) {
        storage_watch(l->stored, on_committed, context);
    }
    if (l->feed != NULL) {
        world_feed_watch(l->feed, on_committed, context);
    }
}

void world_log_move_waker(world_log *l, void *waker)
{
    ASSERT(waker != NULL);
    atomic_store(&l->word.waker, waker);
}

void *world_log_claim_waker(world_log *l)
{
    // The waker is read after the claim: the world may just have moved.
    return atomic_exchange(&l->word.sent, true) ? NULL : atomic_load(&l->word.waker);
}

void world_log_accept_notification(world_log *l)
{
    atomic_store(&l->word.sent, false);
}

// ---- rows

void world_log_note(world_log *l, uint64_t tick, uint64_t session, const char *name,
                    const uint8_t *arguments, uint32_t size)
{
    ASSERT(name != NULL && (size == 0 || arguments != NULL));
    if (l->stored == NULL && !l->rows.has_readers) {
        return;
    }
    static const uint8_t EMPTY_MAP[] = {0x80};
    log_command row = {.tick = tick,
                       .session = session,
                       .method = name,
                       .method_size = (uint32_t)strlen(name),
                       .arguments = size > 0 ? arguments : EMPTY_MAP,
                       .arguments_size = size > 0 ? size : 1};
    log_command_encode(&l->rows.encoded, &row);
    ASSERT(!l->rows.encoded.overflow);
    l->rows.count++;
}

void world_log_note_removal(world_log *l, uint64_t tick, const char *world, uint64_t body)
{
    if (l->stored == NULL && !l->rows.has_readers) {
        return;
    }
    buffer arguments;
    buffer_init(&arguments, LOG_REMOVAL_BYTES_MAX);
    log_removal_arguments(&arguments, world, body);
    ASSERT(!arguments.overflow);
    world_log_note(l, tick, 0, "body.remove", arguments.data, (uint32_t)arguments.size);
    buffer_deinit(&arguments);
}

bool world_log_full(const world_log *l)
{
    return l->stored != NULL && rows_end(l) - l->written.offset >= WORLD_LOG_PENDING_BYTES_MAX;
}

void world_log_trim(world_log *l, uint64_t oldest)
{
    uint64_t end = rows_end(l);
    ASSERT(l->written.offset <= end && l->rows.begin <= end);
    uint64_t floor = l->stored != NULL ? l->written.offset : end;
    bool far = oldest < floor && end - oldest > WORLD_LOG_KEPT_BYTES_MAX;
    uint64_t begin = far || oldest > floor ? floor : oldest;
    buffer *rows = &l->rows.encoded;
    if (begin <= l->rows.begin) {
        return;
    }
    ASSERT(begin <= end && (l->stored == NULL || begin <= l->written.offset));
    size_t drop = (size_t)(begin - l->rows.begin);
    memmove(rows->data, rows->data + drop, rows->size - drop);
    rows->size -= drop;
    l->rows.begin = begin;
}

log_mark world_log_end(const world_log *l, uint64_t tick)
{
    return mark_now(l, tick);
}

bool world_log_since(const world_log *l, log_mark from, log_record *out)
{
    if (from.offset < l->rows.begin) {
        return false;
    }
    ASSERT(from.offset <= rows_end(l) && from.count <= l->rows.count);
    *out = (log_record){.from = from.tick,
                        .command_count = (uint32_t)(l->rows.count - from.count),
                        .commands = l->rows.encoded.data + (from.offset - l->rows.begin),
                        .commands_size = (size_t)(rows_end(l) - from.offset)};
    return true;
}

// ---- states

world_log_state world_log_state_of(const world_log *l)
{
    return l->state;
}

bool world_log_awaits_image(const world_log *l)
{
    return l->state != WORLD_LOG_ENDED && l->images.wish != IMAGE_WISH_NONE;
}

status world_log_takes(const world_log *l, error *err)
{
    if (!world_log_is_broken(l)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_UNAVAILABLE,
                     "the world's log cannot be written, so it takes no "
                     "commands: %s",
                     l->failure.text);
}

const char *world_log_failure_text(const world_log *l)
{
    return world_log_is_broken(l) ? l->failure.text : "";
}

// `next` is FAILED or CLOSED. A second failure in the same state only brings another text.
static void fail(world_log *l, world_log_state next, const error *why)
{
    if (!world_log_is_broken(l)) {
        log_error("%s; the world accepts no commands until its log can be written", why->text);
        l->images.retry_ns = 0; // at once
        l->images.wish = IMAGE_WISH_NONE;
        l->images.failed = 0;
    }
    if (l->state != next) {
        change_state(l, next);
    }
    l->failure = *why;
}

void world_log_mend(world_log *l)
{
    ASSERT(l->state == WORLD_LOG_GOOD || l->state == WORLD_LOG_NEW);
    if (l->stored == NULL) {
        return;
    }
    change_state(l, WORLD_LOG_FAILED);
    l->images.failed = 0;
    l->images.retry_ns = 0;
    l->images.wish = IMAGE_WISH_NONE; // an image under way shows an earlier state
    error_set(&l->failure, STATUS_UNAVAILABLE, "the log begins again with an image soon");
}

bool world_log_settled(const world_log *l, uint64_t tick)
{
    return l->state == WORLD_LOG_GOOD && l->until == tick && l->written.offset == rows_end(l);
}

// ---- images

// The number of ticks that the log promises ahead; see world_log.h.
static uint64_t ahead_of(world_log *l, uint64_t tick, double hz)
{
    const uint64_t second = (uint64_t)hz;
    const uint64_t tenth = second >= 20 ? second / 10 : second >= 2 ? 2 : second;
    const uint64_t ticks = tick - l->images.tick;
    if (l->feed != NULL) {
        return tenth;
    }
    if (ticks >= second / 4) { // enough ticks to measure a step's cost
        l->images.steps_costly =
            (double)l->images.replay_ns * hz > (double)COSTLY_SECOND_NS * (double)ticks;
    }
    return l->images.steps_costly ? tenth : second;
}

static bool image_under_way(const world_log *l, error *why)
{
    why->text[0] = '\0';
    return storage_checkpoint_state(l->stored, why) != STATUS_OK && why->text[0] == '\0';
}

bool world_log_lags(const world_log *l, uint64_t tick, int64_t now, int64_t *next_ns)
{
    if (l->stored == NULL || l->state == WORLD_LOG_ENDED) {
        return false;
    }
    if (l->state != WORLD_LOG_GOOD) {
        error why;
        const bool under_way = l->images.wish == IMAGE_WISH_ACCEPTED || image_under_way(l, &why);
        *next_ns = under_way ? QUEUE_FOREVER : l->images.retry_ns;
        return true;
    }
    *next_ns = now + APPEND_RETRY_NS;
    return rows_end(l) > l->written.offset || tick > l->until;
}

// Called when other images fill the storage's queue: this one is made again later, and the log is
// not good before it is on the disk.
static image_wish wish_of(status accepted)
{
    return accepted == STATUS_OK               ? IMAGE_WISH_ACCEPTED
           : accepted == STATUS_LIMIT_EXCEEDED ? IMAGE_WISH_NONE
                                               : IMAGE_WISH_REFUSED;
}

static void make_image(world_log *l, const world_log_image *image, double hz, int64_t now)
{
    uint64_t tick = world_tick(image->physics);
    uint64_t until = image->paused ? tick : tick + ahead_of(l, tick, hz);
    until = until > l->until || image->paused ? until : l->until;
    uint64_t hash = world_hash(image->physics);
    shared_bytes *bytes = world_image_encode(image->physics, image->bodies, image->owners,
                                             image->marks, image->view, image->paused, until);
    error err;
    status s = storage_checkpoint(l->stored, tick, &hash, bytes, &err);
    l->images.bytes = bytes->size;
    // A standby's entries lack the change that this image contains.
    if (s == STATUS_OK && l->state != WORLD_LOG_GOOD && l->feed != NULL &&
        world_feed_follows(l->feed)) {
        l->fed = world_feed_put(l->feed, FEED_IMAGE, tick, hash, bytes);
    }
    bytes_unref(bytes);
    l->images.retry_ns = now + RETRY_NS;
    l->images.made_ns = now;
    if (l->state != WORLD_LOG_GOOD) {
        l->images.wish = wish_of(s);
    }
    if (s != STATUS_OK) {
        l->failure = err;
        return;
    }
    l->images.replay_ns = 0;
    l->images.tick = tick;
    log_digests_begin_anew(&l->digests); // a restart begins with this image
    if (l->state != WORLD_LOG_GOOD) {    // the image covers the commands that could not be appended
        l->written = mark_now(l, tick);
        l->until = until;
        l->hashed_tick = tick;
        last_requests_settle(image->marks);
    }
}

static bool wants_early_image(const world_log *l, int64_t now)
{
    const int64_t worth = EARLY_NS_A_BYTE * (int64_t)l->images.bytes;
    return l->images.replay_ns > EARLY_REPLAY_NS && l->images.replay_ns > worth &&
           now - l->images.made_ns >= EARLY_GAP_NS && storage_image_turn(l->stored, now);
}

static bool wants_image(const world_log *l, int64_t now)
{
    if (now - l->images.made_ns < IMAGE_GAP_NS) {
        return false;
    }
    return l->images.replay_ns > REPLAY_NS || storage_log_bytes(l->stored) > IMAGE_LOG_BYTES ||
           storage_wants_checkpoint(l->stored);
}

// ---- records

static void append_marks(buffer *out, uint64_t until, const last_requests *marks, bool digests)
{
    uint32_t count = last_requests_encode(marks, false, NULL);
    ASSERT(count <= LAST_REQUESTS_NEW_MAX);
    size_t size = WORLD_LOG_HEAD_BYTES + (size_t)count * SESSION_MARK_BYTES;
    uint32_t bits = count | (uint32_t)digests << WORLD_LOG_DIGESTS_BIT;
    uint8_t *head = malloc(size);
    ASSERT_MEMORY(head != NULL);
    put64(head, until);
    put32(head + 8, bits);
    (void)last_requests_encode(marks, false, head + WORLD_LOG_HEAD_BYTES);
    buffer_append(out, head, size);
    free(head);
}

// Writes the bytes of the entry that precede the record. If the record is to have a hash, sets the
// hash and writes the bodies' digests.
static void append_head(world_log *l, buffer *out, uint64_t until, const world_log_image *image,
                        log_record *record)
{
    buffer digests;
    buffer_init(&digests, LOG_DIGEST_BYTES_MAX);
    if (record->has_hash) {
        record->hash = log_digests_write(&l->digests, image->physics, &digests);
    }
    append_marks(out, until, image->marks, digests.size > 0);
    buffer_append(out, digests.data, digests.size);
    buffer_deinit(&digests);
}

// Ticks between two hashes.
static uint64_t hash_gap(const world_log *l, const physics_world *world, double hz)
{
    const uint64_t second = (uint64_t)hz;
    const uint64_t by_size = world_body_slots(world) / WORLD_LOG_HASH_SLOTS;
    const uint64_t gap = by_size > WORLD_LOG_HASH_TICKS ? by_size : WORLD_LOG_HASH_TICKS;
    return l->feed != NULL && gap < second ? gap : second;
}

static log_promise newest(const world_log *l)
{
    return (log_promise){l->until, l->sequence, l->fed};
}

static void need_newest(world_log *l)
{
    l->needed = newest(l);
}

// Replies that show this tick wait for an entry that promises it, the earliest that is known.
static void need_tick(world_log *l, uint64_t tick)
{
    ASSERT(tick <= l->until);
    if (tick <= l->needed.until) {
        return;
    }
    if (l->next.sequence > l->needed.sequence && l->next.until >= tick) {
        l->needed = l->next;
        l->next = newest(l);
    } else {
        need_newest(l);
    }
}

// Appends the rows since the last entry. False: the storage accepts nothing now.
static bool append(world_log *l, const world_log_image *image, double hz, uint64_t until)
{
    uint64_t tick = world_tick(image->physics);
    log_mark end = mark_now(l, tick);
    if (tick - l->written.tick > LOG_TICKS_MAX) {
        error why;
        error_set(&why, STATUS_UNAVAILABLE, "the disk took no record for %d ticks", LOG_TICKS_MAX);
        fail(l, WORLD_LOG_FAILED, &why);
        return false;
    }
    bool hashed = tick >= l->hashed_tick + hash_gap(l, image->physics, hz);
    log_record record;
    bool kept = world_log_since(l, l->written, &record);
    ASSERT(kept); // rows that the storage does not have are never forgotten
    ASSERT(tick >= l->written.tick && until >= tick);
    record.tick = tick;
    record.has_hash = hashed;
    buffer out;
    buffer_init(&out, STORAGE_RECORD_BYTES_MAX);
    append_head(l, &out, until, image, &record);
    log_record_encode(&out, &record);
    ASSERT(!out.overflow); // see WORLD_LOG_ARGUMENTS_BYTES_MAX
    size_t size = 0;
    uint8_t *data = buffer_take(&out, &size);
    shared_bytes *bytes = bytes_take(data, size);
    error err;
    status s = storage_append(l->stored, record.from, tick, hashed ? &record.hash : NULL, bytes,
                              &l->sequence, &err);
    if (s == STATUS_OK && l->feed != NULL) {
        l->fed = world_feed_put(l->feed, FEED_ENTRY, tick, 0, bytes);
    }
    bytes_unref(bytes);
    if (s == STATUS_OK) {
        l->written = end;
        l->until = until;
        l->next = l->next.sequence > l->needed.sequence ? l->next : newest(l);
        l->hashed_tick = hashed ? tick : l->hashed_tick;
        last_requests_settle(image->marks);
    } else {
        log_digests_begin_anew(&l->digests);
        // this status means that the disk is only slow, and will catch up
        if (s != STATUS_LIMIT_EXCEEDED) {
            fail(l, WORLD_LOG_FAILED, &err);
        }
    }
    return s == STATUS_OK;
}

// True when everything up to now is with the storage.
static bool append_new(world_log *l, const world_log_image *image, double hz)
{
    ASSERT(!world_log_is_broken(l));
    uint64_t tick = world_tick(image->physics);
    uint64_t promise = image->paused ? tick : tick + ahead_of(l, tick, hz);
    bool shows_new = rows_end(l) > l->written.offset || tick > l->until;
    bool ahead = !image->paused && tick + ahead_of(l, tick, hz) / 2 >= l->until;
    if ((shows_new || ahead) && !append(l, image, hz, promise) && shows_new) {
        return false;
    }
    if (shows_new) {
        need_newest(l);
    } else {
        need_tick(l, tick);
    }
    return true;
}

// An idle world's entries are up to a second apart, but an image must be made where an entry ends,
// since the next entry begins there.
static bool append_to_now(world_log *l, const world_log_image *image, double hz)
{
    uint64_t tick = world_tick(image->physics);
    uint64_t promise = image->paused ? tick : tick + ahead_of(l, tick, hz);
    return l->written.tick == tick || append(l, image, hz, promise);
}

// The standby begins with an image of where an entry ends.
static void feed_image(world_log *l, const world_log_image *image, double hz)
{
    if (!append_to_now(l, image, hz)) {
        return; // tried again after the next tick
    }
    const uint64_t tick = world_tick(image->physics);
    shared_bytes *bytes =
        world_image_encode(image->physics, image->bodies, image->owners, image->marks, image->view,
                           image->paused, l->until > tick ? l->until : tick);
    l->fed = world_feed_put(l->feed, FEED_IMAGE, tick, world_hash(image->physics), bytes);
    bytes_unref(bytes);
    log_digests_begin_anew(&l->digests);
}

void world_log_settle(world_log *l, const world_log_image *image, double hz, int64_t now)
{
    if (l->stored == NULL) {
        return;
    }
    error why;
    ASSERT(l->state != WORLD_LOG_ENDED);
    ASSERT(l->needed.sequence <= l->sequence && l->rows.begin <= l->written.offset);
    if (l->state != WORLD_LOG_GOOD && l->images.wish == IMAGE_WISH_NONE &&
        now >= l->images.retry_ns && !image_under_way(l, &why)) {
        make_image(l, image, hz, now);
    }
    if (l->state == WORLD_LOG_CLOSED) { // only refusals and ends of subscriptions wait
        commit_gate_stamp(&l->gate, commit_gate_committed(&l->gate), l->needed.fed);
    }
    if (!world_log_is_broken(l) && append_new(l, image, hz)) {
        commit_gate_stamp(&l->gate, l->needed.sequence, l->needed.fed);
        if (l->state == WORLD_LOG_GOOD && l->feed != NULL && world_feed_wants_image(l->feed)) {
            feed_image(l, image, hz);
        }
        if (l->state == WORLD_LOG_GOOD && (wants_image(l, now) || wants_early_image(l, now)) &&
            !image_under_way(l, &why) && append_to_now(l, image, hz)) {
            make_image(l, image, hz, now);
        }
    }
}

void world_log_rest(world_log *l, const world_log_image *image, double hz)
{
    uint64_t tick = world_tick(image->physics);
    if (l->stored != NULL && l->state == WORLD_LOG_GOOD && l->until != tick) {
        (void)append(l, image, hz, tick);
    }
}

bool world_log_parts(const world_log *l)
{
    return l->parting != 0;
}

// The standby gets the state that the log cannot lead to. Replies wait for the log nevertheless:
// if the world stays here, only the log can keep what the replies show.
static void part(world_log *l, const world_log_image *image)
{
    const uint64_t tick = world_tick(image->physics);
    if (world_log_parts(l)) {
        return;
    }
    shared_bytes *bytes = world_image_encode(image->physics, image->bodies, image->owners,
                                             image->marks, image->view, image->paused, tick);
    l->fed = world_feed_put(l->feed, FEED_IMAGE, tick, world_hash(image->physics), bytes);
    l->parting = l->fed;
    bytes_unref(bytes);
}

void world_log_go_on(world_log *l)
{
    const bool parted = l->parting != 0;
    l->parting = 0;
    if (parted && l->state == WORLD_LOG_GOOD) { // the standby's image is newer than the log's
        world_log_mend(l);
    }
}

bool world_log_stand(world_log *l, const world_log_image *image, double hz)
{
    const uint64_t tick = world_tick(image->physics);
    if (world_log_parts(l) || world_log_should_leave(l)) {
        part(l, image);
        return true;
    }
    if (l->stored == NULL || l->state != WORLD_LOG_GOOD) {
        return false;
    }
    if (!world_log_settled(l, tick)) {
        const bool shows_new = rows_end(l) > l->written.offset || tick > l->until;
        if (!append(l, image, hz, tick)) {
            return false;
        }
        if (shows_new) {
            need_newest(l);
        }
    }
    need_tick(l, tick);
    commit_gate_stamp(&l->gate, l->needed.sequence, l->needed.fed);
    return !world_log_holds(l);
}

uint64_t world_log_fed(const world_log *l)
{
    return l->fed;
}

// ---- answers of the storage

// Checks whether the image that restores a failed log, or begins a new one, is finished.
static bool image_ended(world_log *l)
{
    ASSERT(l->state != WORLD_LOG_GOOD && l->state != WORLD_LOG_ENDED);
    ASSERT(l->images.wish != IMAGE_WISH_NONE);
    error why = l->failure;
    if (l->images.wish == IMAGE_WISH_ACCEPTED && image_under_way(l, &why)) {
        return false;
    }
    l->images.wish = IMAGE_WISH_NONE;
    error state;
    bool good = why.text[0] == '\0' && storage_state(l->stored, &state) == STATUS_OK;
    if (good) {
        if (world_log_is_broken(l)) {
            log_info("the log of a world can be written again");
        }
        change_state(l, WORLD_LOG_GOOD);
        need_newest(l);
        return false;
    }
    l->images.failed++;
    if (world_log_should_leave(l) && l->state == WORLD_LOG_FAILED &&
        l->images.failed < LEAVE_TRIES) {
        l->failure = why.text[0] != '\0' ? why : state;
        return false; // its readers go along
    }
    const bool given_up = l->state != WORLD_LOG_CLOSED;
    fail(l, WORLD_LOG_CLOSED, why.text[0] != '\0' ? &why : &state);
    if (given_up) {
        char text[ERROR_TEXT_MAX];
        snprintf(text, sizeof text, "the world's log cannot be written: %.200s", l->failure.text);
        commit_gate_refuse(&l->gate, STATUS_UNAVAILABLE, text);
    }
    return given_up;
}

// Handles an end of the world that the storage cannot record.
static void refuse_end(world_log *l, const char *why)
{
    ASSERT(l->state == WORLD_LOG_ENDED);
    char text[ERROR_TEXT_MAX];
    snprintf(text, sizeof text,
             "the world has ended, but its log cannot say so, and a restart brings it back: %.160s",
             why);
    log_warn("%s", text);
    commit_gate_refuse(&l->gate, STATUS_UNAVAILABLE, text);
}

bool world_log_wake(world_log *l)
{
    if (l->stored == NULL) {
        return false;
    }
    error why;
    if (l->state == WORLD_LOG_ENDED) {
        commit_gate_commit(&l->gate, storage_committed(l->stored));
        if (storage_destroy_failed(l->stored) && world_log_holds(l)) {
            (void)storage_state(l->stored, &why);
            refuse_end(l, why.text);
        }
        return false;
    }
    if (l->state == WORLD_LOG_GOOD && storage_state(l->stored, &why) != STATUS_OK) {
        fail(l, WORLD_LOG_FAILED, &why);
        return false; // the next settling tries an image
    }
    bool given_up = false;
    if (l->state != WORLD_LOG_GOOD && l->images.wish != IMAGE_WISH_NONE) {
        given_up = image_ended(l);
    }
    if (l->state == WORLD_LOG_GOOD) {
        commit_gate_commit(&l->gate, storage_committed(l->stored));
    }
    return given_up;
}

void world_log_destroy(world_log *l)
{
    if (l->stored == NULL) {
        return;
    }
    error err;
    uint64_t sequence = l->sequence;
    change_state(l, WORLD_LOG_ENDED);
    if (storage_destroy(l->stored, &sequence, &err) != STATUS_OK) {
        refuse_end(l, err.text);
        return;
    }
    l->sequence = sequence;
    if (l->feed != NULL) {
        l->fed = world_feed_put(l->feed, FEED_END, 0, 0, NULL);
    }
    need_newest(l);
    commit_gate_stamp(&l->gate, l->needed.sequence, l->needed.fed);
}

bool world_log_holds(const world_log *l)
{
    return commit_gate_held(&l->gate) > 0;
}
