/* One durable event in the words of each server. */
#ifndef PROTOCOLS_H
#define PROTOCOLS_H

#include "wire.h"

/* The event that every server stores. */
#define EVENT "{\"type\":\"add\",\"amount\":1}"

enum found {
    INCOMPLETE, /* more bytes are needed */
    OTHER,      /* something that answers no event */
    ACCEPTED,
    REFUSED,
};

struct protocol {
    const char *name;
    /* What a new connection exchanges before its first event, while its socket blocks; or NULL. */
    void (*open)(int fd, int connection);
    void (*event)(struct bytes *out, unsigned counter, uint64_t number, int connection);
    /* What `in` begins with, and its length. May answer the server in `out`. */
    enum found (*next)(const char *in, size_t length, size_t *used, struct bytes *out);
};

const struct protocol *protocol_named(const char *name);

/* The exchange with which a connection to NATS begins. */
void nats_open(int fd);

#endif
