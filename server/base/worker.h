// Jobs of libuv's pool of threads: each begins with worker_begin(), on the pool's thread.
//
// They make worlds, restore them and decode large messages: work of milliseconds for which nobody
// but its sender waits. The pool has more threads than there may be processors, so its threads have
// a lower priority; else the network thread would wait for several of them in turn.
#ifndef CAROM_SERVER_BASE_WORKER_H
#define CAROM_SERVER_BASE_WORKER_H

enum { WORKER_NICE = 5 }; // a third of the weight of the other threads, as own threads have

// Lowers the calling thread's priority, once and for good (nice(2) affects only the calling thread,
// on Linux).
void worker_begin(void);

#endif
