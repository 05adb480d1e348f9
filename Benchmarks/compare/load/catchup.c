/* Catch-up: one client reads RECORDS stored records from the first, as the server offers it.
 *
 * Grove sends the outputs of a subscription from the first record; Redis answers one XREAD of 1,000
 * entries after the other; a pull consumer of JetStream has two requests for 4,000 under way. */
#define _GNU_SOURCE
#include "loads.h"
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_MAX = 1 << 18, PULL = 4000 };

static uint64_t wanted, records, record_bytes;
static struct bytes in;

static size_t line_length(size_t at) {
    const char *end = at < in.length ? memchr(in.at + at, '\n', in.length - at) : NULL;
    return end ? (size_t)(end + 1 - (in.at + at)) : 0;
}

static void read_grove(int fd) {
    static const char subscribe[] =
        "{\"op\":\"subscribe\",\"id\":1,\"sub\":\"s\",\"from\":\"first\","
        "\"select\":{\"machine\":\"counter\",\"kind\":[\"output\"]}}\n";
    send_all(fd, subscribe, sizeof subscribe - 1);
    while (records < wanted) {
        receive_some(fd, &in, READ_MAX);
        size_t at = 0, line;
        for (; (line = line_length(at)); at += line) {
            if (memmem(in.at + at, line, "\"error\":", 8)) fail("%.*s", (int)line, in.at + at);
            if (!memmem(in.at + at, line < 100 ? line : 100, "\"to\":", 5)) continue;
            records++;
            record_bytes += line;
        }
        drop(&in, at);
    }
}

/* The length of the RESP value at a place, or 0 if it isn't complete. */
static size_t value_length(size_t at) {
    size_t head = line_length(at), length = head;
    if (!head) return 0;
    long count = strtol(in.at + at + 1, NULL, 10);
    if (in.at[at] == '-') fail("%.*s", (int)head, in.at + at);
    if (in.at[at] == '$' && count >= 0) length += count + 2;
    for (; in.at[at] == '*' && count > 0; count--) {
        size_t element = value_length(at + length);
        if (!element) return 0;
        length += element;
    }
    return at + length <= in.length ? length : 0;
}

/* Takes the entries of an answer of XREAD, which begins at 0. `last` gets the last one's id. */
static void take_entries(size_t length, char *last, size_t room) {
    size_t at = 0;
    if (in.length < 2 || memcmp(in.at, "*1", 2)) fail("there are no more entries");
    for (int line = 0; line < 5; line++) at += line_length(at); /* *1, *2, $7, journal, *count */
    while (at < length) {
        size_t entry = value_length(at), id = at + line_length(at);
        id += line_length(id);
        size_t id_length = line_length(id) - 2;
        if (id_length >= room) fail("an id is too long");
        memcpy(last, in.at + id, id_length);
        last[id_length] = 0;
        records++;
        record_bytes += entry;
        at += entry;
    }
}

static void read_redis(int fd) {
    char last[64] = "0-0", request[200];
    while (records < wanted) {
        size_t length;
        int n = snprintf(request, sizeof request,
                         "*6\r\n$5\r\nXREAD\r\n$5\r\nCOUNT\r\n$4\r\n1000\r\n$7\r\nSTREAMS\r\n"
                         "$7\r\njournal\r\n$%zu\r\n%s\r\n",
                         strlen(last), last);
        send_all(fd, request, n);
        do receive_some(fd, &in, READ_MAX);
        while (!(length = value_length(0)));
        take_entries(length, last, sizeof last);
        drop(&in, length);
    }
}

static void pull(int fd) {
    char request[160], body[40];
    int length = snprintf(body, sizeof body, "{\"batch\":%d}", PULL);
    length = snprintf(request, sizeof request,
                      "PUB $JS.API.CONSUMER.MSG.NEXT.EVENTS.reader records %d\r\n%s\r\n",
                      length, body);
    send_all(fd, request, length);
}

static void read_jetstream(int fd) {
    uint64_t asked = 2 * PULL;
    nats_open(fd);
    send_all(fd, "SUB records 1\r\n", 15);
    pull(fd);
    pull(fd);
    while (records < wanted) {
        receive_some(fd, &in, READ_MAX);
        size_t at = 0, head;
        for (; (head = line_length(at)); at += head) {
            const char *line = in.at + at;
            if (!memcmp(line, "PING", 4)) send_all(fd, "PONG\r\n", 6);
            else if (memcmp(line, "MSG ", 4)) fail("not a record: %.*s", (int)head, line);
            else {
                size_t body = strtoul((char *)memrchr(line, ' ', head), NULL, 10) + 2;
                if (at + head + body > in.length) break;
                records++;
                record_bytes += head + body;
                at += body;
            }
        }
        drop(&in, at);
        for (; records + PULL >= asked; asked += PULL) pull(fd);
    }
}

int catch_up(char **arguments) {
    wanted = strtoull(arguments[2], NULL, 10);
    int fd = dial(atoi(arguments[1]));
    uint64_t from = now_us();
    if (!strcmp(arguments[0], "grove")) read_grove(fd);
    else if (!strcmp(arguments[0], "redis")) read_redis(fd);
    else if (!strcmp(arguments[0], "jetstream")) read_jetstream(fd);
    else fail("no catch-up for %s", arguments[0]);
    uint64_t took = now_us() - from;
    if (records != wanted) fail("%llu records came", (unsigned long long)records);
    printf("{\"per_second\":%.0f,\"records\":%llu,\"bytes_each\":%.1f,\"measured_s\":%.3f,"
           "\"own_s\":%.3f}\n",
           records / (took / 1e6), (unsigned long long)records, (double)record_bytes / records,
           took / 1e6, own_us() / 1e6);
    return 0;
}
