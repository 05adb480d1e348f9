#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("{\"failed\":\"");
    for (const unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') printf("\\%c", *c);
        else if (*c < ' ' || *c > '~') printf("\\u%04x", *c);
        else putchar(*c);
    }
    printf("\"}\n");
    exit(1);
}

void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) fail("no memory");
    return memory;
}

static void make_room(struct bytes *b, size_t length) {
    if (b->room - b->length >= length) return;
    b->room = b->room * 2 + length;
    b->at = realloc(b->at, b->room);
    if (!b->at) fail("no memory");
}

void add(struct bytes *to, const void *text, size_t length) {
    if (!length) return;
    make_room(to, length);
    memcpy(to->at + to->length, text, length);
    to->length += length;
}

void add_text(struct bytes *to, const char *text) { add(to, text, strlen(text)); }

void add_number(struct bytes *to, uint64_t number) {
    char digits[20], *first = digits + sizeof digits;
    do *--first = '0' + number % 10;
    while (number /= 10);
    add(to, first, digits + sizeof digits - first);
}

void add_counter(struct bytes *to, unsigned counter) {
    char name[7] = "k";
    for (int i = 6; i > 0; i--, counter /= 10) name[i] = '0' + counter % 10;
    add(to, name, sizeof name);
}

void drop(struct bytes *from, size_t length) {
    memmove(from->at, from->at + length, from->length -= length);
}

uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

uint64_t own_us(void) {
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    return (uint64_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000000 + own.ru_utime.tv_usec
           + own.ru_stime.tv_usec;
}

int dial(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (void *)&address, sizeof address))
        fail("connecting to port %d: %s", port, strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

void never_block(int fd) {
    if (fcntl(fd, F_SETFL, O_NONBLOCK)) fail("fcntl: %s", strerror(errno));
}

void send_all(int fd, const char *text, size_t length) {
    while (length) {
        ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);
        if (sent < 0) fail("sending: %s", strerror(errno));
        text += sent, length -= sent;
    }
}

void wait_for(int fd, const void *what, size_t length) {
    struct bytes in = {0};
    while (in.length < length || !memmem(in.at, in.length, what, length)) {
        if (in.length > 1 << 20) fail("the server never sent the expected answer");
        receive_some(fd, &in, 4096);
    }
    free(in.at);
}

int send_some(int fd, struct bytes *out) {
    while (out->used < out->length) {
        ssize_t sent = send(fd, out->at + out->used, out->length - out->used, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) return 1;
        if (sent < 0) fail("sending: %s", strerror(errno));
        out->used += sent;
    }
    out->used = out->length = 0;
    return 0;
}

size_t receive_some(int fd, struct bytes *in, size_t most) {
    make_room(in, most);
    ssize_t got = recv(fd, in->at + in->length, most, 0);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got < 0) fail("receiving: %s", strerror(errno));
    if (got == 0) fail("the server closed the connection");
    in->length += got;
    return got;
}
