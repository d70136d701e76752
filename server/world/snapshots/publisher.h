// A world's snapshots: chosen when due, encoded once for each view group (all subscriptions that
// want the same and have the same baseline), sent to each subscription of the group.
//
// A subscription has at most one snapshot on its way. Until that is written out, further ones that
// fall due are skipped, and the next one has all changes since the last one sent: a slow reader
// gets fewer snapshots, never a wrong one, and nothing queues up for it but events. A reader that
// is further behind than `events_kept` of them loses the oldest: its next snapshot says how many.
//
// A publishing has a limited time. Readers not served in it come first in the next one; they are
// then sent the state of that tick, and `skipped` counts the snapshots between.
//
// Events of a view with an area are those of bodies in view (then or at the reader's last
// snapshot) and those whose place lies in the area.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_PUBLISHER_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_PUBLISHER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "proto/wire/buffer.h"
#include "server/base/limits.h"
#include "server/schedule/shares.h"
#include "server/schedule/turn.h"
#include "server/world/snapshots/data_feed.h"
#include "server/world/snapshots/descriptions.h"
#include "server/world/snapshots/event_log.h"
#include "server/world/message/messages.h"
#include "server/world/snapshots/packed_view.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/subscription.h"
#include "server/world/state/margins.h"

// The last command of a session that the state contains, by the session's slot.
typedef struct session_last {
    uint64_t session;
    uint32_t id;
} session_last;

// Places in `due` of subscriptions that are served together.
typedef struct publish_piece {
    uint32_t start, end;
    int64_t used_ns;  // publishing time used by the readers' subject that used least
    uint64_t version; // the oldest version that one of them was sent
} publish_piece;

typedef struct publisher {
    const limits *limits;
    const char *world; // name of the served world
    uint64_t epoch;
    bool stale;          // the state has changed since the rows were taken
    bool has_scene_view; // the scene has a view, which is sent with descriptions
    area scene_view;
    row_table rows;
    joint_table joints;
    event_log log;
    data_feed data;
    subscriptions subscriptions;
    shares shares;         // publishing time used, by subject
    turn_clock *processor; // the thread's processor time; NULL: time is that of turns
    packed_views packed;
    area_index areas;   // index of the rows
    view_set_pool sets; // sets made in the current publishing
    uint64_t
        touched; // version of the rows that shows the last command: descriptions may differ since
    ARRAY(session_last) last;
    margins *margins;     // margins of the sessions' timed batches; NULL: none
    memory_holder *taker; // the holder that pays for the memory of new subscriptions; NULL: none
    // scratch, kept so that a tick allocates nothing
    ARRAY(uint32_t) due; // places in the list
    ARRAY(publish_piece) pieces;
    ARRAY(contact_info) contacts;
    buffer body_rows, events, contact_rows, data_rows;
    ARRAY(body_id) removed, enter, leave;
    ARRAY(uint64_t) events_shown; // numbers in the log
    descriptions descriptions;
} publisher;

void publisher_init(publisher *p, const limits *bounds, const char *world, uint64_t epoch);
void publisher_deinit(publisher *p);

// Readers' subjects are charged with processor time from here, as clock_processor_ns() is.
void publisher_measure_by(publisher *p, turn_clock *processor);
// Snapshots with descriptions name the owners of bodies; NULL: nobody owns any. `whose` must live
// as long as the publisher, or until the next call.
void publisher_show_owners(publisher *p, owners *whose);
// Snapshots contain margins of timed batches from here; `of` must live as long as the publisher.
void publisher_show_margins(publisher *p, margins *of);
// Snapshots with descriptions name this area as the one that the world's scene shows; NULL: none.
void publisher_show_scene(publisher *p, const area *view);
// NULL: none.
const area *publisher_scene_view(const publisher *p);
// New subscriptions are charged to this holder from now on; NULL: to none.
void publisher_charge_to(publisher *p, memory_holder *holder);

uint32_t publisher_reader_count(const publisher *p);
// The session that gets messages to "referee": of several, the one that subscribed first.
referee_presence publisher_referee(const publisher *p);

// Whether a view may follow this body (0: none), seeing only `count` areas (0: everything). Errors:
// STATUS_NOT_FOUND if there is no such body, or it may not be seen.
status publisher_may_follow(const physics_world *world, body_id body, const area *token_areas,
                            uint32_t count, error *err);

// Whether there is memory for a subscription of the taker. Errors: STATUS_LIMIT_EXCEEDED.
status publisher_can_afford(const publisher *p, const physics_world *world,
                            const subscribe_args *view, error *err);

// Begins a subscription; its first snapshot is due at once. A followed body that does not exist
// counts as lost. `subject` is charged with the time for its snapshots.
void publisher_subscribe(publisher *p, physics_world *world, uint64_t number, session_key session,
                         uint64_t subject, const subscribe_args *view);
// The subscription's reader, for messages that are not for all; without this call it is one of no
// role and no subject.
void publisher_name_reader(publisher *p, uint64_t number, role held, const char *subject);
// False where the session has no such subscription here.
bool publisher_unsubscribe(publisher *p, physics_world *world, uint64_t number,
                           session_key session);
// Errors: STATUS_NOT_FOUND if the session has no such subscription here, or there is no body to
// follow; the subscription then stays as it was.
status publisher_move(publisher *p, const physics_world *world, uint64_t number,
                      session_key session, const view_args *view, error *err);
void publisher_acknowledge(publisher *p, uint64_t number);
// The session continues over another connection: each of its subscriptions is sent a full snapshot
// next, with the events from the first that was not written out.
void publisher_resume(publisher *p, session_key session);
// Call when another world replaces this one: every subscription is sent a full snapshot next. Must
// be called with the new world; waiting events are kept.
void publisher_begin_anew(publisher *p, physics_world *world);
// Ends all subscriptions of the session.
void publisher_forget(publisher *p, physics_world *world, session_key session);

// Ends every subscription: REPLY_CLOSED with `why` and `text`.
void publisher_close_all(publisher *p, status why, const char *text, reply_sink sink);

// Must be called before a command is carried out, since the command may remove objects that it
// describes.
void publisher_note_change(publisher *p, const physics_world *world, const command *c);

// Call when a command was carried out: its changes of the world's data are sent to readers.
void publisher_note_data(publisher *p, const command *c);

// A command of the session (0: the server's or a recording's) was carried out: the messages in it
// are events, which the state of `tick` shows first.
void publisher_note_messages(publisher *p, const command *c, uint64_t session, uint64_t tick);

// Records that the state contains a command of the session from now on.
void publisher_note_command(publisher *p, session_key session, uint32_t id);

// Accepts the step that was just done, and its events. To be called after each step.
void publisher_note_step(publisher *p, physics_world *world);

// Call after a change of the state that was not a step.
void publisher_note_edit(publisher *p);

// Sends snapshots of the present state to the subscriptions that are due or, if `all`, to everyone
// that was not sent it yet; in either case only to those that can accept one now. Posts replies of
// kind SNAPSHOT, and OVERRUN for subscriptions that end here because a snapshot does not fit a
// message. Works until the turn is over (NULL: no limit), but sends some in any case. False: others
// wait for the next time.
bool publisher_publish(publisher *p, physics_world *world, bool all, const turn *t,
                       reply_sink sink);
// Whether the last publishing chose any subscription.
bool publisher_was_busy(const publisher *p);

// Whether a subscription that can be sent the current state was not.
bool publisher_owes(const publisher *p);

#endif
