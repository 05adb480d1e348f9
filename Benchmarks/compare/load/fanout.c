/* Fan-out: one publisher, many subscribers of what it publishes, each on its own connection.
 *
 * A message is sent while at most WINDOW messages are on their way to all subscribers. PAYLOAD is
 * the size of a message of Redis and NATS; Grove sends a record of an event. */
#define _GNU_SOURCE
#include "loads.h"
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_MAX = 1 << 18, SILENCE_US = 10000000 };

struct subscriber {
    int fd;
    struct bytes rest; /* the start of a message that isn't complete */
    uint64_t messages;
};

static enum { GROVE, REDIS, NATS } server;
static struct bytes publish, message, received;
static uint64_t delivered, delivered_bytes;

/* The request that publishes, and for Redis and NATS the bytes of each delivery. */
static void prepare(unsigned payload) {
    char *text = zeroed(payload + 1, 1), head[80];
    memset(text, 'x', payload);
    if (server == GROVE) {
        add_text(&publish, "{\"op\":\"send\",\"to\":\"counter/fan\",\"event\":" EVENT "}\n");
        return;
    }
    const char *published = "PUB fan %u\r\n", *delivery = "MSG fan 1 %u\r\n";
    if (server == REDIS) {
        published = "*3\r\n$7\r\nPUBLISH\r\n$3\r\nfan\r\n$%u\r\n";
        delivery = "*3\r\n$7\r\nmessage\r\n$3\r\nfan\r\n$%u\r\n";
    }
    snprintf(head, sizeof head, published, payload);
    add_text(&publish, head);
    snprintf(head, sizeof head, delivery, payload);
    add_text(&message, head);
    for (struct bytes *to = &publish; to; to = to == &publish ? &message : NULL) {
        add_text(to, text);
        add_text(to, "\r\n");
    }
    free(text);
}

static void subscribe(int fd) {
    static const char grove[] =
        "{\"op\":\"subscribe\",\"id\":1,\"sub\":\"s\",\"select\":{\"machine\":\"counter\","
        "\"instance\":\"fan\",\"kind\":[\"output\"]}}\n";
    static const char redis[] = "*2\r\n$9\r\nSUBSCRIBE\r\n$3\r\nfan\r\n";
    static const char nats[] = "SUB fan 1\r\nPING\r\n";
    switch (server) {
    case GROVE:
        send_all(fd, grove, sizeof grove - 1);
        wait_for(fd, "\"mark\":\"live\"}\n", 15);
        break;
    case REDIS:
        send_all(fd, redis, sizeof redis - 1);
        wait_for(fd, ":1\r\n", 4);
        break;
    case NATS:
        nats_open(fd);
        send_all(fd, nats, sizeof nats - 1);
        wait_for(fd, "PONG\r\n", 6);
        break;
    }
}

/* Records have the instance after the cursor; marks don't. */
static size_t count_records(struct subscriber *s, const char *in, size_t length) {
    size_t at = 0, line;
    const char *end;
    while ((end = memchr(in + at, '\n', length - at))) {
        line = end + 1 - (in + at);
        if (line > 7 && !memcmp(in + at, "{\"sub\":", 7)
            && memmem(in + at, line < 100 ? line : 100, "\"to\":", 5))
            s->messages++, delivered++, delivered_bytes += line;
        at += line;
    }
    return at;
}

/* Deliveries are all the same bytes, and between them NATS asks whether the client is there. */
static size_t count_messages(struct subscriber *s, const char *in, size_t length) {
    static const char ping[] = "PING\r\n";
    size_t at = 0, ping_length = sizeof ping - 1;
    for (;;) {
        if (length - at >= message.length && !memcmp(in + at, message.at, message.length)) {
            s->messages++, delivered++, delivered_bytes += message.length;
            at += message.length;
        } else if (length - at >= ping_length && !memcmp(in + at, ping, ping_length)) {
            send_all(s->fd, "PONG\r\n", 6);
            at += ping_length;
        } else if (length - at >= message.length) {
            fail("not a delivery: %.60s", in + at);
        } else {
            return at;
        }
    }
}

static void take(struct subscriber *s) {
    received.length = 0;
    add(&received, s->rest.at, s->rest.length);
    if (!receive_some(s->fd, &received, READ_MAX)) return;
    size_t used = server == GROVE ? count_records(s, received.at, received.length)
                                  : count_messages(s, received.at, received.length);
    s->rest.length = 0;
    add(&s->rest, received.at + used, received.length - used);
}

static struct subscriber *subscribe_all(int poll, int port, int count) {
    struct subscriber *all = zeroed(count, sizeof *all);
    for (int i = 0; i < count; i++) {
        all[i].fd = dial(port);
        subscribe(all[i].fd);
        never_block(all[i].fd);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = all + i};
        epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &event);
    }
    return all;
}

static int open_publisher(int poll, int port) {
    int fd = dial(port);
    if (server == NATS) nats_open(fd);
    never_block(fd);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    return fd;
}

/* What the publisher receives is read and, but for a PING, forgotten. */
static void read_publisher(int fd, struct bytes *out) {
    received.length = 0;
    size_t got = receive_some(fd, &received, READ_MAX);
    if (server == NATS && got >= 6 && !memcmp(received.at, "PING\r\n", 6))
        add_text(out, "PONG\r\n");
}

/* Resets the connections: a server that only sees the end of the stream could go on sending. */
static uint64_t close_all(struct subscriber *all, int count, uint64_t sent) {
    uint64_t wrong = 0;
    struct linger reset = {1, 0};
    for (int i = 0; i < count; i++) {
        wrong += all[i].messages > sent ? all[i].messages - sent : sent - all[i].messages;
        setsockopt(all[i].fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(all[i].fd);
    }
    return wrong;
}

int fan_out(char **arguments) {
    static const char *names[] = {"grove", "redis", "nats"};
    while (server <= NATS && strcmp(names[server], arguments[0])) server++;
    if (server > NATS) fail("no fan-out for %s", arguments[0]);
    int port = atoi(arguments[1]), count = atoi(arguments[2]), window = atoi(arguments[3]);
    uint64_t warm = atof(arguments[4]) * 1e6, measure = atof(arguments[5]) * 1e6;
    prepare(atoi(arguments[6]));
    int poll = epoll_create1(EPOLL_CLOEXEC), publisher = open_publisher(poll, port);
    struct subscriber *all = subscribe_all(poll, port, count);
    struct epoll_event events[512];
    struct bytes out = {0};
    uint64_t now = now_us(), from = now + warm, until = from + measure, last = now;
    uint64_t sent = 0, before = 0, took = 0, in_time = 0, own = 0;
    int measuring = 0;
    while (!took || delivered < sent * count) {
        if (!measuring && now >= from)
            measuring = 1, from = now, until = now + measure, before = delivered, own = own_us();
        if (measuring && !took && now >= until)
            took = now - from, in_time = delivered - before, own = own_us() - own;
        while (!took && sent < delivered / count + window) {
            add(&out, publish.at, publish.length);
            sent++;
        }
        send_some(publisher, &out);
        int ready = epoll_wait(poll, events, 512, out.length ? 1 : 100);
        uint64_t had = delivered;
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) take(events[i].data.ptr);
            else read_publisher(publisher, &out);
        }
        now = now_us();
        if (delivered > had) last = now;
        if (now - last > SILENCE_US) break;
    }
    uint64_t wrong = close_all(all, count, sent);
    if (wrong) fail("%llu deliveries are missing or too many", (unsigned long long)wrong);
    printf("{\"per_second\":%.0f,\"messages\":%llu,\"deliveries\":%llu,\"bytes_each\":%.1f,"
           "\"measured_s\":%.3f,\"own_s\":%.3f}\n",
           in_time / (took / 1e6), (unsigned long long)sent, (unsigned long long)delivered,
           (double)delivered_bytes / delivered, took / 1e6, own / 1e6);
    return 0;
}
