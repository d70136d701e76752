// The network thread's work of a turn: what sockets and worlds brought is not dealt with where it
// comes in, but as jobs of one queue (schedule/turn_queue.h), so that whoever asks for much waits
// for whoever asks for little, and no turn is longer than a few milliseconds.
//
//   a session's messages   count for its token's subject, else its address; see session_subject
//   a world's replies      count for the world: answers, snapshots to each of its watchers
//   answers of many rows   server.sessions for who asked, world.list for the server
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_WORK_H
#define CAROM_SERVER_SESSION_CALLS_WORK_H

#include <stdint.h>

#include "server/net/loop_turn.h"
#include "server/schedule/turn_queue.h"

struct server;
struct session;

enum {
    // Answers of server.sessions that are being made. A session has LISTINGS_MAX at most, and
    // likewise of world.list: a client waits for one before it asks for the next.
    SESSION_LISTS_MAX = 256,
    LISTINGS_MAX = 16
};

// `turn`, `more` and `turn_end` of the server; before its networks are opened. The handles are
// closed by server.c.
void work_init(struct server *s);
// Nothing is queued any more.
void work_deinit(struct server *s);

// Adds a job that counts for that subject.
void work_add(struct server *s, turn_job *job, job_function *run, uint64_t subject);
void work_remove(struct server *s, turn_job *job);

// The networks' handler: runs jobs, once in each turn, until that has had its time for them.
void work_run(void *context);
// Runs all jobs to their ends: the server shuts down.
void work_finish(struct server *s);
// The loop does not wait before its next turn: something else is left to do.
void work_go_on(struct server *s);
// The rest of the turn for work.
turn work_left(struct server *s);

// The session's connection and messages count for this number: of its token's subject; of a
// stranger's address; where nobody is asked for a token and the peer is on this machine, of the
// connection alone.
uint64_t session_subject(const struct session *s);
uint64_t world_subject(uint64_t number);
enum { SERVER_SUBJECT = 0 };

#endif
