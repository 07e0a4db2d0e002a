// SPDX-License-Identifier: Apache-2.0
//
// A load client for both control planes: gRPC over HTTP/2 (the engine) and JSON lines (mpv), on a Unix socket.
//
//   ipcload grpc-rtt  SOCKET CALLS PID METHOD [METHOD]    p50, p99 of a unary call with an empty message
//   ipcload mpv-rtt   SOCKET CALLS PID COMMAND [COMMAND]  the same for a command in JSON, such as ["get_property","pause"]
//   ipcload grpc-fan  SOCKET ROUNDS WATCHERS PID          from a change until the last watcher has it: p50, p99
//   ipcload mpv-fan   SOCKET ROUNDS WATCHERS PID          the same for observe_property
//
// Two methods or commands are called alternately. Prints one line: p50 and p99 in microseconds, the seconds it took to
// connect all watchers, and the microseconds of CPU time that the process PID uses for a call or a change. `fan` then
// waits for a line on stdin before it disconnects the watchers, so that their memory can be measured before that.
//
// HTTP/2 is spoken with fixed frames, so that the client makes the same few system calls for both protocols.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 0, HEADERS = 1, RESET = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW = 8 };
enum { BUFFER = 1 << 16 };

struct peer {
    int fd;
    uint32_t stream;
    size_t used;
    size_t messages; // DATA frames, or lines that tell of a change
    size_t ended;    // streams that ended
    uint8_t bytes[BUFFER];
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void fail(const char *what) {
    fprintf(stderr, "ipcload: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void send_all(int fd, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0) {
        ssize_t sent = send(fd, at, count, MSG_NOSIGNAL);
        if (sent < 0) fail("send");
        at += sent;
        count -= (size_t)sent;
    }
}

static struct peer *dial(const char *path) {
    struct peer *peer = calloc(1, sizeof *peer);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    peer->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (peer->fd < 0 || connect(peer->fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    return peer;
}

// HTTP/2 ------------------------------------------------------------------------------------------------------------

static size_t put_frame(uint8_t *out, uint8_t kind, uint8_t flags, uint32_t stream, const void *payload, size_t count) {
    uint8_t head[9] = {count >> 16, count >> 8, count, kind, flags, stream >> 24, stream >> 16, stream >> 8, stream};
    memcpy(out, head, 9);
    if (count) memcpy(out + 9, payload, count);
    return 9 + count;
}

static size_t put_field(uint8_t *out, const char *name, const char *value) {
    size_t names = strlen(name), values = strlen(value), at = 0;
    out[at++] = 0; // literal, never indexed (RFC 7541 §6.2.2)
    out[at++] = (uint8_t)names;
    memcpy(out + at, name, names);
    at += names;
    out[at++] = (uint8_t)values;
    memcpy(out + at, value, values);
    return at + values;
}

static void greet(struct peer *peer) {
    uint8_t out[128];
    size_t at = 24;
    memcpy(out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    static const uint8_t window[6] = {0, 4, 0x7f, 0xff, 0xff, 0xff};
    static const uint8_t more[4] = {0x7f, 0xff, 0, 0};
    at += put_frame(out + at, SETTINGS, 0, 0, window, sizeof window);
    at += put_frame(out + at, WINDOW, 0, 0, more, sizeof more);
    send_all(peer->fd, out, at);
    peer->stream = 1;
}

static void call(struct peer *peer, const char *method, const uint8_t *message, size_t count) {
    uint8_t block[512], body[128] = {0}, out[1024];
    size_t at = put_field(block, ":method", "POST");
    at += put_field(block + at, ":scheme", "http");
    at += put_field(block + at, ":path", method);
    at += put_field(block + at, ":authority", "localhost");
    at += put_field(block + at, "te", "trailers");
    at += put_field(block + at, "content-type", "application/grpc");
    body[4] = (uint8_t)count;
    if (count) memcpy(body + 5, message, count);
    size_t length = put_frame(out, HEADERS, 4, peer->stream, block, at);
    length += put_frame(out + length, DATA, 1, peer->stream, body, 5 + count);
    send_all(peer->fd, out, length);
    peer->stream += 2;
}

static void take_frames(struct peer *peer) {
    size_t at = 0;
    while (peer->used - at >= 9) {
        const uint8_t *head = peer->bytes + at;
        size_t count = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        if (peer->used - at < 9 + count) break;
        uint8_t out[32];
        switch (head[3]) {
        case DATA:
            if (count) peer->messages++;
            break;
        case SETTINGS:
            if (!(head[4] & 1)) send_all(peer->fd, out, put_frame(out, SETTINGS, 1, 0, NULL, 0));
            break;
        case PING:
            if (!(head[4] & 1)) send_all(peer->fd, out, put_frame(out, PING, 1, 0, head + 9, 8));
            break;
        case RESET:
        case GOAWAY:
            fprintf(stderr, "ipcload: the engine ended a stream\n");
            exit(1);
        default: break;
        }
        if ((head[3] == DATA || head[3] == HEADERS) && head[4] & 1) peer->ended++;
        at += 9 + count;
    }
    memmove(peer->bytes, peer->bytes + at, peer->used - at);
    peer->used -= at;
}

// JSON lines --------------------------------------------------------------------------------------------------------

static void say(struct peer *peer, const char *line) { send_all(peer->fd, line, strlen(line)); }

static void take_lines(struct peer *peer) {
    size_t at = 0;
    for (uint8_t *end; (end = memchr(peer->bytes + at, '\n', peer->used - at));) {
        size_t count = (size_t)(end - (peer->bytes + at));
        if (memmem(peer->bytes + at, count, "property-change", 15)) peer->messages++;
        if (memmem(peer->bytes + at, count, "request_id", 10)) peer->ended++;
        at += count + 1;
    }
    memmove(peer->bytes, peer->bytes + at, peer->used - at);
    peer->used -= at;
}

// Both --------------------------------------------------------------------------------------------------------------

static void receive(struct peer *peer, void (*take)(struct peer *)) {
    ssize_t got = recv(peer->fd, peer->bytes + peer->used, BUFFER - peer->used, 0);
    if (got <= 0) fail("the peer closed");
    peer->used += (size_t)got;
    take(peer);
}

static void await_end(struct peer *peer, size_t ended, void (*take)(struct peer *)) {
    while (peer->ended < ended) receive(peer, take);
}

static int by_value(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void report(double *times, size_t count, double connecting, double cost) {
    qsort(times, count, sizeof *times, by_value);
    printf("%.1f %.1f %.3f %.1f\n", times[count / 2], times[count * 99 / 100], connecting / 1e6, cost);
    fflush(stdout);
}

// The CPU time that a process has used, in microseconds.
static double used(pid_t process) {
    clockid_t clock;
    struct timespec t;
    if ((errno = clock_getcpuclockid(process, &clock)) || clock_gettime(clock, &t)) fail("the process");
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// `what` has one method or command to call, or two to call alternately.
static void round_trips(const char *path, size_t calls, pid_t process, char **what, int is_grpc) {
    struct peer *peer = dial(path);
    void (*take)(struct peer *) = is_grpc ? take_frames : take_lines;
    double *times = calloc(calls, sizeof *times), cost = 0;
    if (is_grpc) greet(peer);
    for (size_t index = 0; index < calls + 200; index++) {
        const char *one = what[1] ? what[index % 2] : what[0];
        char line[256];
        snprintf(line, sizeof line, "{\"command\":%s,\"request_id\":1}\n", one);
        if (index == 200) cost = used(process); // the first calls warm up
        double start = now();
        if (is_grpc) call(peer, one, NULL, 0);
        else say(peer, line);
        await_end(peer, index + 1, take);
        if (index >= 200) times[index - 200] = now() - start;
    }
    report(times, calls, 0, (used(process) - cost) / (double)calls);
}

// A change that every watcher receives. At the start, the engine is paused and mpv is not.
static void change(struct peer *control, int is_grpc, size_t step) {
    if (is_grpc) call(control, step % 2 ? "/engine.v1.Engine/Pause" : "/engine.v1.Engine/Play", NULL, 0);
    else say(control, step % 2 ? "{\"command\":[\"set_property\",\"pause\",false],\"request_id\":1}\n"
                               : "{\"command\":[\"set_property\",\"pause\",true],\"request_id\":1}\n");
}

static void collect(struct peer **watchers, struct pollfd *polls, size_t count, size_t *seen, void (*take)(struct peer *)) {
    size_t waiting = count;
    for (size_t index = 0; index < count; index++) {
        polls[index].fd = watchers[index]->fd;
        polls[index].events = POLLIN;
        if (watchers[index]->messages > seen[index]) polls[index].fd = -1, waiting--;
    }
    while (waiting > 0) {
        int ready = poll(polls, count, 20000);
        if (ready <= 0) fail("watchers that hear nothing within 20 s");
        for (size_t index = 0; index < count && ready > 0; index++) {
            if (polls[index].fd < 0 || !polls[index].revents) continue;
            ready--;
            receive(watchers[index], take);
            if (watchers[index]->messages > seen[index]) polls[index].fd = -1, waiting--;
        }
    }
}

static void drain(struct peer **watchers, size_t count, size_t *seen, void (*take)(struct peer *)) {
    for (size_t index = 0; index < count; index++) {
        struct pollfd poll_one = {watchers[index]->fd, POLLIN, 0};
        while (poll(&poll_one, 1, 0) > 0) receive(watchers[index], take);
        seen[index] = watchers[index]->messages;
    }
}

static void fan_out(const char *path, size_t rounds, size_t count, pid_t process, int is_grpc) {
    // Only the phase, and no time events: the equivalent of one property of mpv.
    static const uint8_t request[] = {0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x22, 1, 2};
    void (*take)(struct peer *) = is_grpc ? take_frames : take_lines;
    struct peer **watchers = calloc(count, sizeof *watchers), *control = dial(path);
    struct pollfd *polls = calloc(count, sizeof *polls);
    size_t *seen = calloc(count, sizeof *seen);
    double *times = calloc(rounds, sizeof *times), start = now();
    if (is_grpc) greet(control);
    for (size_t index = 0; index < count; index++) {
        watchers[index] = dial(path);
        if (is_grpc) greet(watchers[index]), call(watchers[index], "/engine.v1.Engine/Watch", request, sizeof request);
        else say(watchers[index], "{\"command\":[\"observe_property\",1,\"pause\"],\"request_id\":1}\n");
    }
    collect(watchers, polls, count, seen, take); // the snapshot, or the first value
    double connecting = now() - start, cost = used(process);
    for (size_t step = 0; step < rounds + 2; step++) {
        usleep(100000); // what else the change brought about has come in
        drain(watchers, count, seen, take);
        start = now();
        change(control, is_grpc, step);
        collect(watchers, polls, count, seen, take);
        if (step >= 2) times[step - 2] = now() - start;
        await_end(control, step + 1, take);
    }
    report(times, rounds, connecting, (used(process) - cost) / (double)(rounds + 2));
    (void)getchar();
}

int main(int count, char **arguments) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    const char *mode = count > 3 ? arguments[1] : "";
    size_t number = count > 3 ? strtoul(arguments[3], NULL, 10) : 0;
    int is_grpc = !strncmp(mode, "grpc", 4);
    const char *kind = strchr(mode, '-');
    if (kind && !strcmp(kind, "-rtt") && (count == 6 || count == 7))
        round_trips(arguments[2], number, (pid_t)strtol(arguments[4], NULL, 10), arguments + 5, is_grpc);
    else if (kind && !strcmp(kind, "-fan") && count == 6)
        fan_out(arguments[2], number, strtoul(arguments[4], NULL, 10), (pid_t)strtol(arguments[5], NULL, 10), is_grpc);
    else return fprintf(stderr, "usage: see the head of ipcload.c\n"), 64;
    return 0;
}
