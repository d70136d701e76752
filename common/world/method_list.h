// The one table of methods: a row each. A file that needs a column expands METHOD_LIST with a macro
// that takes it: the enum of methods and what carries them out (this room), names and arguments,
// decoders and encoders (proto). A method that is not here does not exist; a row that lacks a
// column does not compile, and a test looks at each.
//
//   X(id, name on the wire, least role, scope, may stand in a batch, arguments,
//     summary,
//     result,
//     decode, plan, trial, apply, encode)
//
// The columns of the last line name functions, `none` where there is nothing to do:
//   decode    arguments into the command (proto/commands/decode.c: decode_..._command)
//   plan      whether a batch's command can be carried out (apply_plan.c: plan_...)
//   trial     what joints of a batch have to know of it (apply_trial.c: trial_...)
//   apply     carries it out on a world (apply.c: apply_...)
//   encode    its result (proto/encode/encode_result.c: pack_..._result)
//
// The rows are in the order in which PROTOCOL.md describes the methods.
#ifndef CAROM_COMMON_WORLD_METHOD_LIST_H
#define CAROM_COMMON_WORLD_METHOD_LIST_H

// clang-format off
#define METHOD_LIST(X)                                                                             \
    X(HELLO, "hello", NONE, SESSION, SINGLE, TAKES(HELLO_ARGS),                                    \
      "Introduces the client; the answer tells the limits that it has to keep.",                   \
      "{protocol, server, version, session, resume, role, limits}",                                \
      hello, none, none, none, none)                                                               \
    X(PING, "ping", NONE, SESSION, SINGLE, TAKES(PING_ARGS),                                       \
      "Answers at once.",                                                                          \
      "{time, any}: the server's monotonic seconds, and what was sent",                            \
      ping, none, none, none, none)                                                                \
    X(GOODBYE, "goodbye", NONE, SESSION, SINGLE, TAKES_NOTHING,                                    \
      "Ends the session: nothing is kept for a resume.",                                           \
      "{}",                                                                                        \
      none, none, none, none, none)                                                                \
    X(SERVER_INFO, "server.info", VIEWER, SERVER, SINGLE, TAKES_NOTHING,                           \
      "The server's version, uptime and limits.",                                                  \
      "{server, version, protocol, uptime, worlds, sessions, limits}",                             \
      none, none, none, none, none)                                                                \
    X(SERVER_STATS, "server.stats", VIEWER, SERVER, SINGLE, TAKES(SERVER_STATS_ARGS),              \
      "The server's counters and latencies since it began.",                                       \
      "{counters, latencies}",                                                                     \
      stats, none, none, none, none)                                                                \
    X(SERVER_SESSIONS, "server.sessions", ADMIN, SERVER, SINGLE, TAKES(SERVER_SESSIONS_ARGS),      \
      "The sessions, by their numbers.",                                                           \
      "{sessions, total}",                                                                         \
      sessions, none, none, none, none)                                                            \
    X(SERVER_KICK, "server.kick", ADMIN, SERVER, SINGLE, TAKES(SERVER_KICK_ARGS),                  \
      "Ends a session and closes its connection.",                                                 \
      "{}",                                                                                        \
      kick, none, none, none, none)                                                                \
    X(WORLD_CREATE, "world.create", ADMIN, SERVER, SINGLE, TAKES(WORLD_CREATE_ARGS),               \
      "Makes a world, which begins to run unless it is paused.",                                   \
      "{world, epoch, tick, created}",                                                             \
      world_create, none, none, none, none)                                                        \
    X(WORLD_DESTROY, "world.destroy", ADMIN, SERVER, SINGLE, TAKES(WORLD_ARGS),                    \
      "Ends a world and its subscriptions.",                                                       \
      "{world, tick}: its last tick",                                                              \
      none, none, none, none, none)                                                                \
    X(WORLD_LIST, "world.list", VIEWER, SERVER, SINGLE, TAKES_NOTHING,                             \
      "All worlds.",                                                                               \
      "[info]: each as world.info answers, by name",                                               \
      none, none, none, none, none)                                                                \
    X(WORLD_INFO, "world.info", VIEWER, WORLD_HOST, SINGLE, TAKES(WORLD_ARGS),                     \
      "A world in numbers.",                                                                       \
      "{world, epoch, tick, time, hz, …}",                                                         \
      none, none, none, none, none)                                                                \
    X(WORLD_PAUSE, "world.pause", ADMIN, WORLD_HOST, SINGLE, TAKES(WORLD_ARGS),                    \
      "Stops a world's time; no error if it stands already.",                                      \
      "{world, tick}",                                                                             \
      none, none, none, none, none)                                                                \
    X(WORLD_RESUME, "world.resume", ADMIN, WORLD_HOST, SINGLE, TAKES(WORLD_ARGS),                  \
      "Lets a world's time go on; no error if it runs already.",                                   \
      "{world, tick}",                                                                             \
      none, none, none, none, none)                                                                \
    X(WORLD_STEP, "world.step", ADMIN, WORLD_HOST, SINGLE, TAKES(WORLD_STEP_ARGS),                 \
      "Does some ticks of a paused world.",                                                        \
      "{world, tick}: when they are done",                                                         \
      step, none, none, none, none)                                                                \
    X(WORLD_SET, "world.set", ADMIN, WORLD_COMMAND, BATCH, TAKES(WORLD_SET_ARGS),                  \
      "Changes a world's settings; at least one must be given.",                                   \
      "{tick}",                                                                                    \
      world_set, world_set, none, world_set, tick)                                                 \
    X(WORLD_IMAGE, "world.image", ADMIN, WORLD_HOST, SINGLE, TAKES(WORLD_ARGS),                    \
      "Everything that a world is, to the bit, as bytes.",                                         \
      "{image, tick, hash}",                                                                       \
      none, none, none, none, none)                                                                \
    X(WORLD_FORK, "world.fork", ADMIN, SERVER, SINGLE, TAKES(WORLD_FORK_ARGS),                     \
      "Makes a second world of the same state, which goes its own way.",                           \
      "{world, epoch, tick, created}",                                                             \
      fork, none, none, none, none)                                                                \
    X(WORLD_STATE, "world.state", VIEWER, WORLD_READ, SINGLE, TAKES(WORLD_ARGS),                   \
      "Everything that is in a world.",                                                            \
      "{world, tick, hash, bodies, joints}: full body maps",                                       \
      none, none, none, state, state)                                                              \
    X(WORLD_CONTACTS, "world.contacts", VIEWER, WORLD_READ, SINGLE, TAKES(WORLD_CONTACTS_ARGS),    \
      "The pairs of shapes that touch, of the world or of one body.",                              \
      "{world, tick, contacts}: each {a, b, shape_a, shape_b, normal, points}",                    \
      contacts, none, none, contacts, contacts)                                                    \
    X(WORLD_APPLY, "world.apply", PLAYER, WORLD_COMMAND, SINGLE, TAKES(WORLD_APPLY_ARGS),          \
      "Many commands in one tick; all of them or none.",                                           \
      "{tick, results}: what each alone would have answered",                                      \
      apply, none, none, batch, batch)                                                             \
    X(WORLD_SUBSCRIBE, "world.subscribe", VIEWER, SUBSCRIPTION, SINGLE, TAKES(WORLD_SUBSCRIBE_ARGS),\
      "Sends snapshots from now on.",                                                              \
      "{subscription, epoch, tick}",                                                               \
      subscribe, none, none, none, none)                                                           \
    X(WORLD_UNSUBSCRIBE, "world.unsubscribe", VIEWER, SUBSCRIPTION, SINGLE, TAKES(SUBSCRIPTION_ARGS),\
      "Ends a subscription.",                                                                      \
      "{}",                                                                                        \
      view, none, none, none, none)                                                                \
    X(WORLD_VIEW, "world.view", VIEWER, SUBSCRIPTION, SINGLE, TAKES(WORLD_VIEW_ARGS),              \
      "Moves a subscription's area.",                                                              \
      "{}",                                                                                        \
      view, none, none, none, none)                                                                \
    X(BODY_SPAWN, "body.spawn", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_SPAWN_ARGS),              \
      "Makes a body with its shapes.",                                                             \
      "{body, shapes, tick}: the ids, shapes in the order given",                                  \
      spawn, spawn, spawn, spawn, spawn)                                                           \
    X(BODY_REMOVE, "body.remove", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_ARGS),                  \
      "Removes a body with its shapes and joints.",                                                \
      "{tick}",                                                                                    \
      body, remove, remove, remove, tick)                                                          \
    X(BODY_GET, "body.get", VIEWER, WORLD_READ, BATCH, TAKES(BODY_ARGS),                           \
      "All about a body.",                                                                         \
      "the full body map",                                                                         \
      body, get, none, get, body)                                                                  \
    X(BODY_SET, "body.set", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_SET_ARGS),                    \
      "Changes what is named, at least one thing; the rest stays.",                                \
      "{tick}",                                                                                    \
      body_set, body_set, body_set, body_set, tick)                                                \
    X(BODY_IMPULSE, "body.impulse", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_IMPULSE_ARGS),        \
      "A push; wakes the body.",                                                                   \
      "{tick}",                                                                                    \
      impulse, push, none, impulse, tick)                                                          \
    X(BODY_ANGULAR_IMPULSE, "body.angular_impulse", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_ANGULAR_IMPULSE_ARGS),\
      "A twist; wakes the body.",                                                                  \
      "{tick}",                                                                                    \
      angular_impulse, turn, none, angular_impulse, tick)                                          \
    X(BODY_FORCE, "body.force", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_FORCE_ARGS),              \
      "Sets the force that acts from now on; wakes the body.",                                     \
      "{tick}",                                                                                    \
      force, push, none, force, tick)                                                              \
    X(BODY_TORQUE, "body.torque", PLAYER, WORLD_COMMAND, BATCH, TAKES(BODY_TORQUE_ARGS),           \
      "Sets the torque that acts from now on; wakes the body.",                                    \
      "{tick}",                                                                                    \
      torque, turn, none, torque, tick)                                                            \
    X(SHAPE_ADD, "shape.add", PLAYER, WORLD_COMMAND, BATCH, TAKES(SHAPE_ADD_ARGS),                 \
      "Gives a body another shape.",                                                               \
      "{shape, tick}",                                                                             \
      shape_add, shape_add, none, shape_add, shape)                                                \
    X(SHAPE_SET, "shape.set", PLAYER, WORLD_COMMAND, BATCH, TAKES(SHAPE_SET_ARGS),                 \
      "Changes what is given of a shape; its form stays.",                                         \
      "{tick}",                                                                                    \
      shape_set, shape_set, none, shape_set, tick)                                                 \
    X(SHAPE_REMOVE, "shape.remove", PLAYER, WORLD_COMMAND, BATCH, TAKES(SHAPE_REMOVE_ARGS),        \
      "Takes a shape from its body.",                                                              \
      "{tick}",                                                                                    \
      shape, shape_remove, none, shape_remove, tick)                                               \
    X(JOINT_CREATE, "joint.create", PLAYER, WORLD_COMMAND, BATCH, TAKES(JOINT_CREATE_ARGS),        \
      "Ties two bodies together.",                                                                 \
      "{joint, tick}",                                                                             \
      joint_create, joint_create, joint_create, joint_create, joint)                               \
    X(JOINT_SET, "joint.set", PLAYER, WORLD_COMMAND, BATCH, TAKES(JOINT_SET_ARGS),                 \
      "Changes what is named, at least one thing; the rest stays.",                                \
      "{tick}",                                                                                    \
      joint_set, by_trial, joint_set, joint_set, tick)                                             \
    X(JOINT_REMOVE, "joint.remove", PLAYER, WORLD_COMMAND, BATCH, TAKES(JOINT_ARGS),               \
      "Unties two bodies.",                                                                        \
      "{tick}",                                                                                    \
      joint, joint_remove, joint_remove, joint_remove, tick)                                       \
    X(JOINT_GET, "joint.get", VIEWER, WORLD_READ, BATCH, TAKES(JOINT_ARGS),                        \
      "All about a joint.",                                                                        \
      "the full joint map",                                                                        \
      joint, by_trial, joint_get, joint_get, joint_info)                                           \
    X(JOINT_LIST, "joint.list", VIEWER, WORLD_READ, SINGLE, TAKES(WORLD_ARGS),                     \
      "All joints of a world.",                                                                    \
      "{world, tick, joints}: full joint maps",                                                    \
      none, none, none, joint_list, joints)                                                        \
    X(QUERY_RAY, "query.ray", VIEWER, WORLD_READ, SINGLE, TAKES(QUERY_RAY_ARGS),                   \
      "The shapes that a ray meets.",                                                              \
      "[{body, shape, point, normal, fraction}], nearest first",                                   \
      ray, none, none, ray, hits)                                                                  \
    X(QUERY_OVERLAP, "query.overlap", VIEWER, WORLD_READ, SINGLE, TAKES(QUERY_OVERLAP_ARGS),       \
      "The bodies in a place; exactly one of area, shape and point.",                              \
      "[body …]",                                                                                  \
      overlap, none, none, overlap, found)                                                         \
    X(QUERY_CAST, "query.cast", VIEWER, WORLD_READ, SINGLE, TAKES(QUERY_CAST_ARGS),                \
      "The shapes that a moving shape meets.",                                                     \
      "[{body, shape, point, normal, fraction}], nearest first",                                   \
      cast, none, none, cast, hits)                                                                \
    X(QUERY_NEAREST, "query.nearest", VIEWER, WORLD_READ, SINGLE, TAKES(QUERY_NEAREST_ARGS),       \
      "The surface that is nearest to a place.",                                                   \
      "{body, shape, point, distance}; nil if there is none",                                      \
      nearest, none, none, nearest, near)
// clang-format on

#endif
