// The part of libuv that the server uses, over a simulated network and clock.
//
// The linker replaces libuv's functions by these (see CMakeLists.txt), so the server's own library
// runs unchanged: its listener, its connections, its timers. Bytes from a client arrive in pieces
// of any size; the kernel's buffer towards a client has a size of its own and is emptied as the
// client reads; work for the thread pool is done some turns later. One thread.
#ifndef CAROM_TESTS_SIMULATION_FAKE_UV_H
#define CAROM_TESTS_SIMULATION_FAKE_UV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection as seen by its client.
typedef struct sim_link sim_link;

// Runs one turn of the loop: due timers, arrived bytes. Returns whether any handle is open.
bool fake_uv_turn(void);

// Connects; NULL if nothing listens. `kernel_bytes` is the size of the server's send buffer.
sim_link *sim_connect(size_t kernel_bytes);

void sim_link_send(sim_link *l, const void *bytes, size_t size);
// Reads up to `size` bytes that have arrived; returns their number.
size_t sim_link_receive(sim_link *l, void *bytes, size_t size);
// Whether the connection is closed or reset, and everything that arrived was read.
bool sim_link_over(const sim_link *l);
// Closes the client's direction.
void sim_link_finish(sim_link *l);
// Resets the connection and frees the client's end.
void sim_link_reset(sim_link *l);

// Stops the server's machine: nothing that its process does from here on has an effect. Some of the
// bytes on their way to clients arrive.
void fake_uv_freeze(void);
// Starts a new process's loop.
void fake_uv_thaw(void);

#endif
