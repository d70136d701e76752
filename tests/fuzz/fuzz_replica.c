// A replica plays a recording with arbitrary commands: it refuses them or continues, and its state
// can be read, saved and shown afterwards. A prediction follows it, with arbitrary margins, round
// trips and refusals. Hashes are not compared, as altered commands lead elsewhere.
//
// The last bytes of the input are also the events of the network, nine for each record from the end
// on: the kind of message, and a double.
#include <math.h>
#include <string.h>

#include <carom/json.h>
#include <carom/prediction.h>
#include <carom/replica.h>
#include <carom/view.h>

#include "common/base/assert.h"
#include "proto/log/log_stream.h"
#include "tests/fuzz/fuzz.h"

enum {
    TICKS_MAX = 64, // most ticks of one record: more take time and find nothing
    RECORDS_MAX = 64,
    WORD_BYTES = 9, // bytes of one event of the network
    POSES_MAX = 64,
    SESSION = 5 // the session's number in seeds.c
};

typedef struct follower {
    carom_replica *replica;
    carom_view *view;
    carom_prediction *prediction;
    double now;
    bool sends; // whether the network accepts batches
    uint64_t asked;
} follower;

static void steer(carom_prediction *p, uint64_t tick, bool first_time, void *user)
{
    follower *f = user;
    f->asked += first_time;
    if (tick % 4 != 0) {
        return;
    }
    const char *text =
        "{\"position\": [1, 5], \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5}]}";
    carom_value *ball = NULL;
    ASSERT(carom_json_parse(text, strlen(text), &ball, NULL) == CAROM_OK);
    (void)carom_prediction_command(p, "body.spawn", ball, NULL);
    carom_value_free(ball);
}

static bool send_batch(const carom_value *args, void *user)
{
    const follower *f = user;
    ASSERT(carom_value_type(args) == CAROM_MAP);
    return f->sends;
}

static void on_event(const carom_event *event, carom_prediction_fate fate, bool was_predicted,
                     void *user)
{
    (void)user;
    ASSERT(event->name != NULL && fate <= CAROM_FATE_TAKEN_BACK);
    ASSERT(was_predicted || fate != CAROM_FATE_TAKEN_BACK);
}

static void show(carom_replica *replica, carom_view *view)
{
    static const carom_replica_snapshot_options all = {
        .describe = true, .contacts = true, .events = ~0u};
    const void *encoded = NULL;
    size_t size = 0;
    carom_error err;
    if (carom_replica_snapshot(replica, &all, &encoded, &size, &err) == CAROM_OK) {
        carom_status s = carom_view_feed(view, encoded, size, NULL, &err);
        ASSERT(s == CAROM_OK);
        ASSERT(carom_view_count(view) == carom_replica_now(replica).bodies);
    }
}

static void save(carom_replica *replica)
{
    void *bytes = NULL;
    size_t size = 0;
    carom_error err;
    if (carom_replica_save(replica, &bytes, &size, &err) != CAROM_OK) {
        return;
    }
    carom_replica *copy = carom_replica_create();
    carom_difference difference;
    carom_status s = carom_replica_load(copy, bytes, size, NULL, &err);
    ASSERT(s == CAROM_OK);
    s = carom_replica_compare(replica, copy, &difference, &err);
    ASSERT(s == CAROM_OK && !difference.differs);
    carom_replica_free_bytes(bytes);
    carom_replica_free(copy);
}

// Passes the record as a snapshot, with the network's events, and makes a frame.
static void follow(follower *f, const buffer *record, const uint8_t *word)
{
    carom_error err;
    double number;
    memcpy(&number, word + 1, sizeof number);
    const carom_snapshot snapshot = {.log = true,
                                     .encoded = record->data,
                                     .encoded_size = record->size,
                                     .has_margin = (word[0] & 1) != 0,
                                     .margin = number};
    f->now += 0.004 * (word[0] >> 3);
    f->sends = (word[0] & 4) == 0;
    (void)carom_prediction_feed(f->prediction, &snapshot, f->now, &err);
    if ((word[0] & 2) != 0) {
        carom_prediction_rtt(f->prediction, number);
        carom_prediction_refused(f->prediction, carom_prediction_tick(f->prediction));
    }
    f->asked = 0;
    (void)carom_prediction_frame(f->prediction, f->now, &err);
    carom_prediction_pose poses[POSES_MAX];
    const size_t count = carom_prediction_poses(f->prediction, poses, POSES_MAX);
    for (size_t i = 0; i < count && i < POSES_MAX; i++) {
        ASSERT(isfinite(poses[i].x) && isfinite(poses[i].y) && isfinite(poses[i].angle));
    }
    const carom_prediction_figures figures = carom_prediction_figures_now(f->prediction);
    ASSERT(isfinite(figures.lead) && isfinite(figures.slack));
}

static void play(follower *f, const log_record *record, const uint8_t *word)
{
    buffer bytes;
    buffer_init(&bytes, LOG_RECORD_BYTES_MAX);
    log_record_encode(&bytes, record);
    follow(f, &bytes, word);
    buffer_deinit(&bytes);
    show(f->replica, f->view);
}

static carom_prediction *predict(follower *f)
{
    carom_prediction_options options = carom_prediction_options_default();
    options.input = steer;
    options.event = on_event;
    options.send = send_batch;
    options.user = f;
    options.session = SESSION;
    carom_prediction *out = NULL;
    ASSERT(carom_prediction_create(NULL, f->replica, &options, &out, NULL) == CAROM_OK);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t SILENCE[WORD_BYTES] = {0};
    log_reader reader;
    error err;
    follower f = {.replica = carom_replica_create(), .view = carom_view_create(NULL), .now = 1.0};
    f.prediction = predict(&f);
    log_reader_init(&reader);
    carom_replica_verify(f.replica, false);
    log_event event = LOG_HEADER;
    size_t records = 0;
    for (size_t at = 0; event != LOG_BROKEN && event != LOG_MORE && records < RECORDS_MAX;) {
        size_t used = 0;
        event = log_reader_feed(&reader, data + at, size - at, &used, &err);
        at += used;
        if (event == LOG_RECORD && reader.record.tick - reader.record.from <= TICKS_MAX) {
            const size_t back = WORD_BYTES * ++records;
            play(&f, &reader.record, back <= size ? data + size - back : SILENCE);
        }
    }
    carom_prediction_free(f.prediction);
    save(f.replica);
    log_reader_deinit(&reader);
    carom_view_free(f.view);
    carom_replica_free(f.replica);
    return 0;
}
