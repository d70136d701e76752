// The table of quota owners; see quota_owners.h.
#include "server/session/identity/quota_owners.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { CAPACITY_MIN = 64 };

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    }
    return hash;
}

static uint32_t place_of(const quota_owners *p, const char *name)
{
    // otherwise the search would not end
    ASSERT(p->count < p->capacity && (p->capacity & (p->capacity - 1)) == 0);
    uint32_t at = hash_of(name) & (p->capacity - 1);
    while (p->table[at] != NULL && strcmp(p->table[at]->name, name) != 0) {
        at = (at + 1) & (p->capacity - 1);
    }
    return at;
}

static void free_quota_owner(quota_owner *one)
{
    if (one != NULL) {
        ASSERT(one->holders == 0 && one->detached.count == 0);
        memory_holder_unref(one->memory);
        free(one);
    }
}

// Builds a new table without the unused ones whose bucket is full.
static void rebuild(quota_owners *p, double rate, double burst, uint64_t now_ms)
{
    quota_owners old = *p;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old.capacity; i++) {
        quota_owner *one = old.table[i];
        if (one != NULL && one->holders == 0 && one->waiting == 0 &&
            bucket_full(&one->requests, rate, burst, now_ms)) {
            free_quota_owner(one);
            old.table[i] = NULL;
        }
        kept += old.table[i] != NULL;
    }
    p->capacity = CAPACITY_MIN;
    while (p->capacity < 4 * (kept + 1)) {
        p->capacity *= 2;
    }
    p->table = calloc(p->capacity, sizeof *p->table);
    ASSERT_MEMORY(p->table != NULL);
    p->count = kept;
    p->purge_at = p->capacity / 2;
    ASSERT(kept <= old.count && kept < p->purge_at);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.table[i] != NULL) {
            p->table[place_of(p, old.table[i]->name)] = old.table[i];
        }
    }
    free(old.table);
}

void quota_owners_deinit(quota_owners *p)
{
    for (uint32_t i = 0; i < p->capacity; i++) {
        ASSERT(p->table[i] == NULL || p->table[i]->holders == 0);
        free_quota_owner(p->table[i]);
    }
    free(p->table);
    *p = (quota_owners){0};
}

quota_owner *quota_owners_hold(quota_owners *p, const char *name, double rate, double burst,
                               uint64_t now_ms)
{
    ASSERT(strlen(name) <= QUOTA_OWNER_NAME_MAX);
    if (p->count >= p->purge_at) {
        rebuild(p, rate, burst, now_ms);
    }
    uint32_t at = place_of(p, name);
    if (p->table[at] == NULL) {
        quota_owner *made = calloc(1, sizeof *made);
        ASSERT_MEMORY(made != NULL);
        memcpy(made->name, name, strlen(name) + 1);
        made->number = ++p->last_number;
        made->memory = memory_holder_create();
        p->table[at] = made;
        p->count++;
    }
    ASSERT(p->table[at]->holders < UINT32_MAX);
    p->table[at]->holders++;
    return p->table[at];
}

void quota_owners_release(quota_owner *one)
{
    if (one != NULL) {
        ASSERT(one->holders > 0);
        one->holders--;
    }
}

void quota_owner_address(const char *peer, char out[QUOTA_OWNER_NAME_MAX + 1])
{
    char host[INET6_ADDRSTRLEN] = "";
    struct in6_addr six;
    bool bracketed = *peer == '[';
    const char *begin = peer + bracketed;
    const char *end = bracketed ? strchr(begin, ']') : strrchr(begin, ':');
    size_t size = end != NULL ? (size_t)(end - begin) : strlen(begin);
    if (size < sizeof host) {
        memcpy(host, begin, size);
        host[size] = '\0';
    }
    out[0] = '\0';
    if (strcmp(host, "127.0.0.1") == 0 || strcmp(host, "::1") == 0) {
        return;
    }
    if (inet_pton(AF_INET6, host, &six) == 1 && !IN6_IS_ADDR_V4MAPPED(&six)) {
        memset(&six.s6_addr[8], 0, 8);
        inet_ntop(AF_INET6, &six, host, sizeof host);
    }
    snprintf(out, QUOTA_OWNER_NAME_MAX + 1, "a %s", host);
}
