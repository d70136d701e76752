// The part of libuv that the server uses, over a network and a clock that are not real.
//
// The linker puts these functions in libuv's place (see CMakeLists.txt), so the server's own
// library runs as it is: its listener, its connections, its timers. Bytes from a client arrive in
// pieces of any size; the kernel's buffer towards a client has a size of its own and is emptied as
// the client reads; work for the thread pool is done some turns later. One thread.
#ifndef CAROM_TESTS_SIMULATION_FAKE_UV_H
#define CAROM_TESTS_SIMULATION_FAKE_UV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection as its client sees it.
typedef struct sim_link sim_link;

// One round of the loop: what is due and what has come. Returns whether anything is left open.
bool fake_uv_turn(void);

// NULL where nobody listens. `kernel_bytes`: room for what the client has not read yet.
sim_link *sim_connect(size_t kernel_bytes);

void sim_link_send(sim_link *l, const void *bytes, size_t size);
// Takes up to `size` bytes that have come; returns how many.
size_t sim_link_receive(sim_link *l, void *bytes, size_t size);
// The server has closed or the connection was reset, and everything that came was taken.
bool sim_link_over(const sim_link *l);
// The client sends no more.
void sim_link_finish(sim_link *l);
// The client is gone; the server sees a reset. Frees the client's end.
void sim_link_reset(sim_link *l);

// The server's machine has stopped: whatever its process does from here on reaches nobody. Of what
// is under way to clients a part arrives.
void fake_uv_freeze(void);
// A new process begins.
void fake_uv_thaw(void);

#endif
