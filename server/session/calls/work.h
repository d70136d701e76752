// The network thread's work of a turn: input of sockets and replies of worlds are not handled on
// arrival, but as jobs (schedule/turn_queue.h), so that subjects with much work wait for those with
// little, and no turn is longer than a few milliseconds. Two queues: replies answer for a world's
// clients together, and would starve beside the requests of each of them.
//
//   a session's messages      are charged to its token's subject, else its address; see
//                             session_turn_subject
//   a world's replies         are charged to the world: answers, snapshots to each of its watchers
//   answers of many rows      server.sessions is charged to the client that asked, world.list to
//                             the server
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
    // Answers of server.sessions being made. A session has LISTINGS_MAX at most, counting those of
    // world.list: a client waits for one before it asks for the next.
    SESSION_LISTS_MAX = 256,
    LISTINGS_MAX = 16
};

// `turn`, `more` and `turn_end` of the server; before its networks are opened. The handles are
// closed by server.c.
void work_init(struct server *s);
// No job may be queued any more.
void work_deinit(struct server *s);

// Adds a job that counts for that subject.
void work_add(struct server *s, turn_job *job, job_function *run, uint64_t subject);
// As work_add, for a world's replies.
void work_add_replies(struct server *s, turn_job *job, job_function *run, uint64_t subject);
// Takes a job out of the queue of work_add().
void work_remove(struct server *s, turn_job *job);

// The networks' handler: runs jobs once in each turn, until the turn's time for them is over.
void work_run(void *context);
// Runs all jobs to their ends: the server shuts down.
void work_finish(struct server *s);
// The loop does not wait before its next turn: something else is left to do.
void work_go_on(struct server *s);
// The rest of the turn for work.
turn work_left(struct server *s);

// The subject that the session's lists and large messages are charged to: its token's; without a
// token, its address's; if no tokens are used and the peer is on this machine, the connection's
// own.
uint64_t session_subject(const struct session *s);
// The subject that its connection and messages are charged to: the same, except that those that
// would have a subject of their own share that of the world that they last spoke to, or of all that
// have spoken to none. Anyone can open thousands of connections: the clients of another world do
// not wait for each of them.
uint64_t session_turn_subject(const struct session *s);
uint64_t world_subject(uint64_t number);
enum { SERVER_SUBJECT = 0 };

#endif
