/* Durable events: each connection keeps a number of them under way, and sends the next one when a
 * reply comes. One thread and one epoll serve all connections.
 *
 * A reply belongs to the oldest event of its connection that has none. At the end it sends nothing
 * more and waits for all replies, so that the server holds exactly what is reported here. */
#include "loads.h"
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { READ_MAX = 1 << 18, SILENCE_US = 20000000, SMALL = 64, HALF = SMALL / 2, BUCKETS = 2048 };

struct connection {
    int fd, number, waits_to_send;
    struct bytes in, out;
    uint64_t *sent_at; /* a ring with a place for each event under way */
    unsigned under_way, first;
};

static struct {
    const struct protocol *protocol;
    int port, connections, under_way;
    unsigned counters;
    uint64_t events_max; /* 0: as many as the time allows */
    int in_order;        /* one counter after the other instead of at random */
} load;

static uint64_t sent, acknowledged, refused, measured, longest, random_state, own_from, own_took;
static int measuring, sending = 1;
static uint64_t latencies[BUCKETS];
static char first_refusal[200];

static unsigned next_counter(void) {
    if (load.in_order) return sent % load.counters;
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % load.counters;
}

/* Latencies below 64 µs have a bucket each; above, each power of two has 32 of the same width. */
static unsigned bucket(uint64_t us) {
    unsigned shift = us < SMALL ? 0 : 63 - __builtin_clzll(us) - 5;
    unsigned index = shift * HALF + (us >> shift);
    return index < BUCKETS ? index : BUCKETS - 1;
}

static uint64_t bucket_start(unsigned index) {
    if (index < SMALL) return index;
    unsigned shift = index / HALF - 1;
    return (uint64_t)(index - shift * HALF) << shift;
}

static uint64_t quantile(double part) {
    uint64_t before = 0;
    for (unsigned i = 0; i < BUCKETS; i++)
        if ((before += latencies[i]) > part * measured) return bucket_start(i);
    return 0;
}

static void send_event(struct connection *c, uint64_t now) {
    if (!sending || (load.events_max && sent == load.events_max)) return;
    load.protocol->event(&c->out, next_counter(), sent++, c->number);
    c->sent_at[(c->first + c->under_way++) % load.under_way] = now;
}

/* How much of a text of the server is shown. */
static int shown(size_t length) { return length < 150 ? length : 150; }

static void take_reply(struct connection *c, int accepted, const char *text, size_t length,
                       uint64_t now) {
    if (!c->under_way) fail("a reply too many: %.*s", shown(length), text);
    uint64_t took = now - c->sent_at[c->first];
    c->first = (c->first + 1) % load.under_way;
    c->under_way--;
    if (!accepted) {
        if (!refused++)
            snprintf(first_refusal, sizeof first_refusal, "%.*s", shown(length), text);
        return;
    }
    acknowledged++;
    if (!measuring) return;
    measured++;
    latencies[bucket(took)]++;
    if (took > longest) longest = took;
}

static void take_replies(struct connection *c, uint64_t now) {
    size_t at = 0, length = 0;
    unsigned before = c->under_way;
    enum found found;
    while (at < c->in.length) {
        found = load.protocol->next(c->in.at + at, c->in.length - at, &length, &c->out);
        if (found == INCOMPLETE) break;
        if (found != OTHER) take_reply(c, found == ACCEPTED, c->in.at + at, length, now);
        at += length;
    }
    drop(&c->in, at);
    for (unsigned answered = before - c->under_way; answered; answered--) send_event(c, now);
}

static void write_out(struct connection *c, int poll) {
    int waits = send_some(c->fd, &c->out);
    if (waits == c->waits_to_send) return;
    c->waits_to_send = waits;
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(poll, EPOLL_CTL_MOD, c->fd, &event);
}

static struct connection *connect_all(int poll) {
    struct connection *all = zeroed(load.connections, sizeof *all);
    for (int i = 0; i < load.connections; i++) {
        struct connection *c = all + i;
        c->number = i;
        c->fd = dial(load.port);
        c->sent_at = zeroed(load.under_way, sizeof *c->sent_at);
        if (load.protocol->open) load.protocol->open(c->fd, i);
        never_block(c->fd);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event);
    }
    return all;
}

static int must_stop(uint64_t now, uint64_t until) {
    return load.events_max ? sent == load.events_max : measuring && now >= until;
}

/* Sends until it must stop, and waits for the rest. Returns the measured microseconds. */
static uint64_t run(uint64_t warm_us, uint64_t measure_us) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct connection *all = connect_all(poll);
    uint64_t now = now_us(), from = now + warm_us, until = from + measure_us, last = now, took = 0;
    for (int i = 0; i < load.connections; i++) {
        for (int k = 0; k < load.under_way; k++) send_event(all + i, now);
        write_out(all + i, poll);
    }
    struct epoll_event events[256];
    while (sending || acknowledged + refused < sent) {
        int ready = epoll_wait(poll, events, 256, 100);
        now = now_us();
        if (sending && !measuring && now >= from) {
            measuring = 1;
            from = now, until = now + measure_us, own_from = own_us();
        }
        if (sending && must_stop(now, until)) {
            sending = 0;
            if (!load.events_max) measuring = 0, took = now - from, own_took = own_us() - own_from;
        }
        if (now - last > SILENCE_US) fail("no reply for %d s", SILENCE_US / 1000000);
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (events[i].events & ~EPOLLOUT && receive_some(c->fd, &c->in, READ_MAX)) {
                last = now;
                take_replies(c, now);
            }
            write_out(c, poll);
        }
    }
    if (!took) own_took = own_us();
    return took ? took : now_us() - from;
}

static void report(uint64_t took) {
    if (refused) fail("%llu refused: %s", (unsigned long long)refused, first_refusal);
    printf("{\"per_second\":%.1f,\"acknowledged\":%llu,\"measured\":%llu,\"measured_s\":%.3f,"
           "\"p50_us\":%llu,\"p99_us\":%llu,\"p999_us\":%llu,\"longest_us\":%llu,\"own_s\":%.3f}\n",
           measured / (took / 1e6), (unsigned long long)acknowledged, (unsigned long long)measured,
           took / 1e6, (unsigned long long)quantile(0.5), (unsigned long long)quantile(0.99),
           (unsigned long long)quantile(0.999), (unsigned long long)longest, own_took / 1e6);
}

static void set(char **arguments) {
    load.protocol = protocol_named(arguments[0]);
    load.port = atoi(arguments[1]);
    load.connections = atoi(arguments[2]);
    load.under_way = atoi(arguments[3]);
    load.counters = strtoul(arguments[4], NULL, 10);
    if (load.connections < 1 || load.under_way < 1 || load.counters < 1) fail("a number is 0");
}

int load_events(char **arguments) {
    set(arguments);
    random_state = 0x9E3779B97F4A7C15ull * (strtoull(arguments[7], NULL, 10) + 1);
    report(run(atof(arguments[5]) * 1e6, atof(arguments[6]) * 1e6));
    return 0;
}

int fill(char **arguments) {
    set(arguments);
    load.in_order = 1;
    load.events_max = strtoull(arguments[5], NULL, 10);
    measuring = 1;
    report(run(0, 0));
    return 0;
}
