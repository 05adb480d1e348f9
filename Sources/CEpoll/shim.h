#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

/* poll.h declares it for _GNU_SOURCE only, without which Swift reads the headers. */
int ppoll(struct pollfd *sockets, nfds_t count, const struct timespec *longest,
          const sigset_t *signals);
