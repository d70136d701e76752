// A mutex, a condition and a linked list; see queue.h.
#include "server/base/queue.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "common/base/assert.h"

enum { NS_PER_S = 1000000000 };

void queue_init(queue *q, uint64_t count_max)
{
    ASSERT(count_max > 0);
    *q = (queue){.count_max = count_max};
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&q->pushed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void queue_deinit(queue *q)
{
    ASSERT(q->first == NULL);
    pthread_cond_destroy(&q->pushed);
    pthread_mutex_destroy(&q->lock);
}

queue_push_result queue_push(queue *q, queue_node *item, bool urgent)
{
    ASSERT(item != NULL);
    item->next = NULL;
    return queue_push_chain(q, item, 1, urgent);
}

queue_push_result queue_push_chain(queue *q, queue_node *first, uint64_t count, bool urgent)
{
    ASSERT(first != NULL && count > 0);
    queue_node *last = first;
    while (last->next != NULL) {
        last = last->next;
    }
    pthread_mutex_lock(&q->lock);
    ASSERT(*q->last == NULL && q->count <= q->count_max);
    if (q->count + count > q->count_max) {
        pthread_mutex_unlock(&q->lock);
        return QUEUE_FULL;
    }
    bool was_empty = q->first == NULL;
    *q->last = first;
    q->last = &last->next;
    q->count += count;
    q->urgent = q->urgent || urgent;
    bool wake = urgent || q->wake_on_push;
    pthread_mutex_unlock(&q->lock);
    if (wake) {
        pthread_cond_signal(&q->pushed);
    }
    return was_empty ? QUEUE_FIRST : QUEUE_PUSHED;
}

void queue_wake(queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->urgent = true;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->pushed);
}

static queue_node *unhook(queue *q)
{
    queue_node *chain = q->first;
    ASSERT((chain == NULL) == (q->count == 0));
    q->first = NULL;
    q->last = &q->first;
    q->count = 0;
    q->urgent = false;
    return chain;
}

queue_node *queue_take(queue *q)
{
    pthread_mutex_lock(&q->lock);
    queue_node *chain = unhook(q);
    pthread_mutex_unlock(&q->lock);
    return chain;
}

queue_node *queue_wait(queue *q, int64_t deadline_ns, bool wake_on_push)
{
    struct timespec until = {.tv_sec = deadline_ns / NS_PER_S, .tv_nsec = deadline_ns % NS_PER_S};
    pthread_mutex_lock(&q->lock);
    q->wake_on_push = wake_on_push;
    int result = 0;
    while (result != ETIMEDOUT && !q->urgent && !(wake_on_push && q->first != NULL)) {
        result = deadline_ns == QUEUE_FOREVER
                     ? pthread_cond_wait(&q->pushed, &q->lock)
                     : pthread_cond_timedwait(&q->pushed, &q->lock, &until);
        ASSERT(result == 0 || result == ETIMEDOUT);
    }
    q->wake_on_push = false;
    queue_node *chain = unhook(q);
    pthread_mutex_unlock(&q->lock);
    return chain;
}
