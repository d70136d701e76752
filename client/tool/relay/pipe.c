// Pieces on their way from one socket to the other; see pipe.h.
#include "client/tool/relay/pipe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct pipe_piece {
    pipe_piece *next;
    double due;
    size_t size, written; // size 0 marks the end of the bytes
    unsigned char bytes[];
};

void pipe_init(relay_pipe *p, const distance_options *options, uint64_t number, size_t bytes_max)
{
    *p = (relay_pipe){.bytes_max = bytes_max};
    distance_init(&p->distance, options, number);
    p->last = &p->first;
}

static void drop_first(relay_pipe *p)
{
    pipe_piece *piece = p->first;
    p->first = piece->next;
    if (p->first == NULL) {
        p->last = &p->first;
    }
    p->waiting -= sizeof *piece + piece->size;
    free(piece);
}

void pipe_deinit(relay_pipe *p)
{
    while (p->first != NULL) {
        drop_first(p);
    }
}

bool pipe_wants(const relay_pipe *p)
{
    return !p->source_ended && p->waiting < p->bytes_max;
}

double pipe_due(const relay_pipe *p)
{
    return p->first != NULL ? p->first->due : (double)INFINITY;
}

bool pipe_read(relay_pipe *p, int source, double now)
{
    unsigned char bytes[PIPE_READ_BYTES];
    ssize_t got = recv(source, bytes, sizeof bytes, 0);
    if (got < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    pipe_piece *piece = malloc(sizeof *piece + (size_t)got);
    if (piece == NULL) {
        return false;
    }
    *piece =
        (pipe_piece){.due = distance_arrival(&p->distance, now, (size_t)got), .size = (size_t)got};
    memcpy(piece->bytes, bytes, (size_t)got);
    *p->last = piece;
    p->last = &piece->next;
    p->waiting += sizeof *piece + (size_t)got;
    p->bytes += (uint64_t)got;
    p->source_ended = got == 0;
    return true;
}

bool pipe_write(relay_pipe *p, int destination, double now)
{
    while (p->first != NULL && p->first->due <= now) {
        pipe_piece *piece = p->first;
        if (piece->size == 0) {
            p->ended = true;
            drop_first(p);
            return shutdown(destination, SHUT_WR) == 0 || errno == ENOTCONN;
        }
        ssize_t put = send(destination, piece->bytes + piece->written, piece->size - piece->written,
                           MSG_NOSIGNAL);
        if (put < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        piece->written += (size_t)put;
        if (piece->written < piece->size) {
            return true;
        }
        drop_first(p);
    }
    return true;
}
