/* Sockets, buffers and the report: what all loads share. */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, which stays until the process ends. */
void *zeroed(size_t count, size_t size);

/* Bytes that grow at the end and are used up from the start. */
struct bytes {
    char *at;
    size_t length, used, room;
};

void add(struct bytes *to, const void *text, size_t length);
void add_text(struct bytes *to, const char *text);
void add_number(struct bytes *to, uint64_t number);
/* The name of a counter: k and six digits, so that it always has the same length. */
void add_counter(struct bytes *to, unsigned counter);
/* Forgets the first bytes of a buffer whose start is `at`. */
void drop(struct bytes *from, size_t length);

uint64_t now_us(void);
uint64_t own_us(void); /* processor time of this process */

int dial(int port);
void never_block(int fd);
void send_all(int fd, const char *text, size_t length);
/* Reads until these bytes have come, and forgets what it read. */
void wait_for(int fd, const void *what, size_t length);
/* Sends what the socket takes. Returns whether bytes are left. */
int send_some(int fd, struct bytes *out);
/* Reads what there is, at most `most` bytes. */
size_t receive_some(int fd, struct bytes *in, size_t most);

/* Prints {"failed":…} and ends the process. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

#endif
