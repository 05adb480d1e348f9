#define _GNU_SOURCE
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of the line that `in` begins with, or 0 if it isn't complete. */
static size_t line_length(const char *in, size_t length) {
    const char *end = memchr(in, '\n', length);
    return end ? (size_t)(end - in) + 1 : 0;
}

static int begins(const char *in, size_t length, const char *with) {
    size_t n = strlen(with);
    return length >= n && !memcmp(in, with, n);
}

/* Grove: lines of JSON. Only replies have an id, and it is their first member. */

static void grove_send(struct bytes *out, unsigned counter, uint64_t number) {
    add_text(out, "{\"op\":\"send\",\"id\":");
    add_number(out, number);
    add_text(out, ",\"to\":\"counter/");
    add_counter(out, counter);
    add_text(out, "\",\"event\":" EVENT);
}

static void grove_event(struct bytes *out, unsigned counter, uint64_t number, int connection) {
    (void)connection;
    grove_send(out, counter, number);
    add_text(out, "}\n");
}

/* With a dedup key that no other event has: the id of the process tells loads apart. */
static void grove_keyed_event(struct bytes *out, unsigned counter, uint64_t number,
                              int connection) {
    (void)connection;
    grove_send(out, counter, number);
    add_text(out, ",\"dedup\":\"");
    add_number(out, (uint64_t)getpid());
    add_text(out, "-");
    add_number(out, number);
    add_text(out, "\"}\n");
}

static enum found grove_next(const char *in, size_t length, size_t *used, struct bytes *out) {
    (void)out;
    if (!(*used = line_length(in, length))) return INCOMPLETE;
    if (!begins(in, *used, "{\"id\"")) return OTHER;
    return memmem(in, *used, "\"ok\":true", 9) ? ACCEPTED : REFUSED;
}

/* Redis: RESP. All commands answer with the id of the stream's entry, a bulk string. */

#define SCRIPT                                                                                     \
    "redis.call('INCR',KEYS[1]) return redis.call('XADD','journal','*','k',KEYS[1],'e',ARGV[1])"
#define SCRIPT_OF_STREAMS                                                                          \
    "redis.call('INCR',KEYS[1]) return redis.call('XADD',KEYS[2],'*','e',ARGV[1])"

static void add_bulk(struct bytes *out, const char *text) {
    add_text(out, "$");
    add_number(out, strlen(text));
    add_text(out, "\r\n");
    add_text(out, text);
    add_text(out, "\r\n");
}

static void add_counter_bulk(struct bytes *out, unsigned counter) {
    add_text(out, "$7\r\n");
    add_counter(out, counter);
    add_text(out, "\r\n");
}

static void eval_event(struct bytes *out, unsigned counter, uint64_t number, int connection) {
    (void)number, (void)connection;
    add_text(out, "*5\r\n");
    add_bulk(out, "EVAL");
    add_bulk(out, SCRIPT);
    add_bulk(out, "1");
    add_counter_bulk(out, counter);
    add_bulk(out, EVENT);
}

static void eval_streams_event(struct bytes *out, unsigned counter, uint64_t number,
                               int connection) {
    (void)number, (void)connection;
    add_text(out, "*6\r\n");
    add_bulk(out, "EVAL");
    add_bulk(out, SCRIPT_OF_STREAMS);
    add_bulk(out, "2");
    add_counter_bulk(out, counter);
    add_text(out, "$8\r\ns");
    add_counter(out, counter);
    add_text(out, "\r\n");
    add_bulk(out, EVENT);
}

static void xadd_event(struct bytes *out, unsigned counter, uint64_t number, int connection) {
    (void)number, (void)connection;
    add_text(out, "*7\r\n");
    add_bulk(out, "XADD");
    add_bulk(out, "journal");
    add_bulk(out, "*");
    add_bulk(out, "k");
    add_counter_bulk(out, counter);
    add_bulk(out, "e");
    add_bulk(out, EVENT);
}

static enum found redis_next(const char *in, size_t length, size_t *used, struct bytes *out) {
    (void)out;
    size_t head = line_length(in, length);
    if (!head) return INCOMPLETE;
    *used = head;
    if (*in != '$') return REFUSED;
    *used += strtoul(in + 1, NULL, 10) + 2;
    return *used <= length ? ACCEPTED : INCOMPLETE;
}

/* NATS: each event names a subject of its connection, where JetStream acknowledges it. */

void nats_open(int fd) {
    static const char hello[] =
        "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nPING\r\n";
    wait_for(fd, "\r\n", 2);
    send_all(fd, hello, sizeof hello - 1);
    wait_for(fd, "PONG\r\n", 6);
}

static void jetstream_open(int fd, int connection) {
    char subscribe[60];
    nats_open(fd);
    send_all(fd, subscribe, snprintf(subscribe, sizeof subscribe, "SUB acks.%d 1\r\n", connection));
}

static void jetstream_event(struct bytes *out, unsigned counter, uint64_t number, int connection) {
    (void)number;
    add_text(out, "PUB events.");
    add_counter(out, counter);
    add_text(out, " acks.");
    add_number(out, connection);
    add_text(out, " ");
    add_number(out, strlen(EVENT));
    add_text(out, "\r\n" EVENT "\r\n");
}

static enum found jetstream_next(const char *in, size_t length, size_t *used, struct bytes *out) {
    size_t head = line_length(in, length);
    if (!head) return INCOMPLETE;
    *used = head;
    if (begins(in, head, "PING")) {
        add_text(out, "PONG\r\n");
        return OTHER;
    }
    if (!begins(in, head, "MSG ")) return begins(in, head, "HMSG ") || *in == '-' ? REFUSED : OTHER;
    const char *size = memrchr(in, ' ', head);
    size_t body = strtoul(size, NULL, 10);
    *used += body + 2;
    if (*used > length) return INCOMPLETE;
    return memmem(in + head, body, "\"error\"", 7) ? REFUSED : ACCEPTED;
}

/* PostgreSQL: one prepared statement, and for each event Bind, Execute, Sync. The Sync ends the
 * transaction, so that ReadyForQuery means that the event is committed. */

static void add_int32(struct bytes *out, uint32_t value) {
    unsigned char big[4] = {value >> 24, value >> 16, value >> 8, value};
    add(out, big, sizeof big);
}

static void add_int16(struct bytes *out, unsigned value) {
    unsigned char big[2] = {value >> 8, value};
    add(out, big, sizeof big);
}

static const char sync_message[] = {'S', 0, 0, 0, 4};

static void postgres_open(int fd, int connection) {
    (void)connection;
    static const char names[] = "user\0postgres\0database\0postgres\0";
    static const char parse[] = "e\0SELECT add_event($1, $2)\0\0";
    struct bytes out = {0};
    add_int32(&out, 8 + sizeof names);
    add_int32(&out, 196608); /* version 3.0 of the protocol */
    add(&out, names, sizeof names);
    send_all(fd, out.at, out.length);
    wait_for(fd, "Z\0\0\0\5I", 6);
    out.length = 0;
    add(&out, "P", 1);
    add_int32(&out, 4 + sizeof parse);
    add(&out, parse, sizeof parse);
    add(&out, sync_message, sizeof sync_message);
    send_all(fd, out.at, out.length);
    free(out.at);
}

static void postgres_event(struct bytes *out, unsigned counter, uint64_t number, int connection) {
    (void)number, (void)connection;
    static const char execute[] = {'E', 0, 0, 0, 9, 0, 0, 0, 0, 0};
    add(out, "B", 1);
    add_int32(out, 4 + 1 + 2 + 2 + 2 + 4 + 7 + 4 + strlen(EVENT) + 2);
    add(out, "\0e\0", 3);
    add_int16(out, 0);
    add_int16(out, 2);
    add_int32(out, 7);
    add_counter(out, counter);
    add_int32(out, strlen(EVENT));
    add_text(out, EVENT);
    add_int16(out, 0);
    add(out, execute, sizeof execute);
    add(out, sync_message, sizeof sync_message);
}

/* All messages up to ReadyForQuery are one answer. */
static enum found postgres_next(const char *in, size_t length, size_t *used, struct bytes *out) {
    (void)out;
    enum found found = OTHER;
    for (*used = 0; length - *used >= 5;) {
        const unsigned char *message = (const unsigned char *)in + *used;
        size_t size = (size_t)message[1] << 24 | message[2] << 16 | message[3] << 8 | message[4];
        if (length - *used < size + 1) break;
        *used += size + 1;
        if (*message == 'E') found = REFUSED;
        if (*message == 'C' && found == OTHER) found = ACCEPTED;
        if (*message == 'Z') return found;
    }
    return INCOMPLETE;
}

const struct protocol *protocol_named(const char *name) {
    static const struct protocol all[] = {
        {"grove", NULL, grove_event, grove_next},
        {"grove-keyed", NULL, grove_keyed_event, grove_next},
        {"eval", NULL, eval_event, redis_next},
        {"eval-streams", NULL, eval_streams_event, redis_next},
        {"xadd", NULL, xadd_event, redis_next},
        {"jetstream", jetstream_open, jetstream_event, jetstream_next},
        {"postgres", postgres_open, postgres_event, postgres_next},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) return all + i;
    fail("no protocol is named %s", name);
}
