// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int csystem_send_datagram(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        errno = EINVAL;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = 0;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    ssize_t sent = sendto(descriptor, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    int failure = errno;
    close(descriptor);
    errno = failure;
    return sent < 0 ? -1 : 0;
}

bool csystem_is_listening(int descriptor, int family) {
    int value = 0;
    socklen_t size = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) != 0 || value == 0) return false;
    size = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &value, &size) != 0 || value != SOCK_STREAM) return false;
    size = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &value, &size) != 0) return false;
    return family == 0 || value == family;
}

int csystem_watch_pressure(const char *path, const void *words, size_t count) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return -1;
    if (count > 0 && write(descriptor, words, count) < 0) {
        int failure = errno;
        close(descriptor);
        errno = failure;
        return -1;
    }
    return descriptor;
}

int csystem_await_pressure(int trigger, const int *counters, size_t count, int milliseconds) {
    enum { most = 32 };
    struct pollfd entries[1 + most];
    struct stat status;
    if (count > most) count = most;
    bool is_file = trigger >= 0 && fstat(trigger, &status) == 0 && S_ISREG(status.st_mode);
    // poll(2) ignores negative descriptors.
    entries[0] = (struct pollfd){.fd = trigger, .events = is_file ? POLLPRI : POLLIN};
    for (size_t i = 0; i < count; i++) entries[1 + i] = (struct pollfd){.fd = counters[i], .events = POLLPRI};
    int ready;
    while ((ready = poll(entries, 1 + count, milliseconds)) < 0)
        if (errno != EINTR) return -1;
    if (ready == 0) return CSYSTEM_PRESSURE_NONE;
    if (entries[0].revents == 0) return CSYSTEM_PRESSURE_COUNTED;
    if (entries[0].revents & (POLLERR | POLLNVAL)) return -1;
    char unread[256];
    ssize_t length = 1;
    // A kernel file has no events to read.
    while (!is_file && (length = read(trigger, unread, sizeof unread)) == sizeof unread) {}
    return length > 0 ? CSYSTEM_PRESSURE_TRIGGERED : -1;
}
