// A session's identity, its rights, and the price of its requests. Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_RIGHTS_H
#define CAROM_SERVER_SESSION_CALLS_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include "common/world/command.h"
#include "server/auth/jwt.h"
#include "server/base/memory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"

void rights_begin(session *s);
void rights_end(session *s);
// Moves the identity of `from` to `to`, and leaves `from` without one.
void rights_move(session *to, session *from);
// The token's subject; "" without one.
const char *rights_subject(const session *s);
// The quota owner whose limit of waiting requests it shares: its subject, else its address. NULL:
// none.
quota_owner *rights_quota_owner(const session *s);
// The subject to which its processor time is charged (server/schedule): its quota owner, or itself.
uint64_t rights_dealt_to(const session *s);
// The memory holder that is charged for the session's subscriptions: that of its quota owner, or
// its own.
memory_holder *rights_holder(session *s);
const memory_holder *rights_holding(const session *s); // NULL: its own, if it has none yet
bool rights_expired(const session *s);
// Sets the largest message that it may send, which is smaller until it sends a token.
void rights_bound_input(session *s);
// Whether the last message is so large that it is paid for before it is decoded.
bool rights_pays_first(const session *s);
// Whether the session has no rights until it sends a token.
bool rights_awaits_token(const session *s);

// Checks a token (NULL: none). The caller owns *out, which is NULL if no token was given or none is
// required. Only the session's count of refused tokens changes.
status rights_read_token(session *s, const char *token, grant **out, error *err);
// A new guest's grant for a session without a token; the caller owns it. NULL where there are no
// guests, or the session has a grant.
grant *rights_guest(const session *s);
// Fails if the session has a subject, and the grant is for another one.
status rights_check_subject(const session *s, const grant *g, error *err);
// Takes over the grant (NULL: does nothing); subscriptions that it does not allow end.
void rights_take(session *s, grant *g);

// Whether the session's role is enough for the method: checked before a call is decoded, so that
// nothing is revealed about forbidden methods.
status rights_check_role(const session *s, method m, error *err);
bool rights_allows_world(const session *s, const char *name);
// Whether the session sees only the areas of its token.
bool rights_confined(const session *s);
// Writes the sender into a request to a world; bodies that it spawns belong to the session's
// subject.
void rights_sign(session *s, request *r);
// Call when the session's rights end early: its waiting batches will not act.
void rights_fall(session *s);
// Ends the sessions whose tokens were signed by removed keys: over many turns if clients are
// `served`, else at once. Their waiting batches fall at once.
void rights_check_keys(server *s, bool served);
// To be called before anything is done for the session: ends it if such turns have not come to it
// yet. True: it has ended, and may be freed if it had no connection.
bool rights_key_gone(session *s);
// Whether the session may make this call, as far as can be decided without its world: roles,
// worlds, areas. Fills in the area of a subscription if the token allows only one, and the areas
// that it may show.
status rights_permit(const session *s, command *c, error *err);
// Fills in the areas that a world.subscribe of the session may show.
void rights_limit_token_areas(const session *s, command *c);

// Pays for a request of that method and number of bytes. Errors: STATUS_LIMIT_EXCEEDED; *exhausted
// is set for a session that has been refused too often.
status rights_pay(session *s, method m, size_t size, bool *exhausted, error *err);

// Counts a refusal and writes it to the log, at a limited rate; other errors are ignored.
void rights_audit(const session *s, const error *err);

#endif
