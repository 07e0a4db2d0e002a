/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a file into engined, plays it, prints events, and carries out commands from standard input, one per line:
 * play, pause, seek SECONDS, stop. The end of the input means `stop`. If a signal ends this program, the session stays in
 * the engine.
 *
 *     make -C examples/c && examples/c/build/watch FILE
 *
 * The socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock. The exit code is 0 after a stop; 1 if the
 * file could not be loaded, the session failed or the engine disconnected; 64 for invalid arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/v1/engine.pb-c.h"
#include "grpc.h"

enum { DEADLINE = 60 };

typedef struct {
    Grpc *grpc;
    char *session; /* NULL until it is loaded */
    int commands;  /* number of commands without a response yet */
    enum { RUNNING, FAILED, STOPPED } phase;
} Client;

static void print_failure(const GrpcEnd *end) {
    printf("%s failed: %s [%s] %s\n", strrchr(end->method, '/') + 1, grpc_status_name(end->status), end->error_code,
           end->message);
}

/* The name of an enum value without its prefix; NULL for a value newer than this client. */
static const char *value_name(const ProtobufCEnumDescriptor *kind, int value, const char *prefix) {
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(kind, value);
    return found != NULL ? found->name + strlen(prefix) : NULL;
}

static void print_state(const Engine__V1__SessionState *state, uint64_t revision) {
    const char *name = value_name(&engine__v1__phase__descriptor, (int)state->phase, "PHASE_");
    printf("#%" PRIu64 " phase %s", revision, name != NULL ? name : "?");
    if (state->position != NULL)
        printf(" at %.2f s", (double)state->position->position_us / 1e6);
    puts("");
    if (state->error != NULL)
        printf("error [%s] %s\n", state->error->code, state->error->message);
}

static void on_event(void *context, const ProtobufCMessage *message) {
    const Engine__V1__WatchEvent *event = (const Engine__V1__WatchEvent *)message;
    const char *stage;
    switch (event->event_case) {
    case ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT:
        print_state(event->snapshot, event->revision);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_DELTA:
        /* A delta carries only the fields that it names. */
        for (size_t at = 0; at < event->delta->n_fields; at++)
            if (event->delta->fields[at] == ENGINE__V1__STATE_FIELD__STATE_FIELD_PHASE)
                print_state(event->delta->state, event->revision);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_TIME:
        printf("time %.2f s\n", (double)event->time->position_us / 1e6);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_NOTICE:
        printf("notice [%s] %s\n", event->notice->code, event->notice->message);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_GAP:
        printf("%" PRIu32 " notices were dropped\n", event->gap->dropped);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_SEEK:
        stage = value_name(&engine__v1__seek_stage__descriptor, (int)event->seek->stage, "SEEK_STAGE_");
        printf("seek %" PRIu64 " %s %.2f s\n", event->seek->id, stage != NULL ? stage : "?",
               (double)event->seek->target_us / 1e6);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_CLOSED:
        if (event->closed->error != NULL) {
            printf("error [%s] %s\n", event->closed->error->code, event->closed->error->message);
            ((Client *)context)->phase = FAILED;
        }
        puts("closed");
        break;
    default: /* an event newer than this client */
        break;
    }
}

static void on_watch_end(void *context, const GrpcEnd *end) {
    Client *client = context;
    if (end->status != GRPC_OK)
        print_failure(end);
    client->phase = end->status == GRPC_OK && client->phase != FAILED ? STOPPED : FAILED;
}

/* Nothing to do: the result of a command also arrives through the watch. */
static void ignore_answer(void *context, const ProtobufCMessage *message) { (void)context, (void)message; }

static void on_command_end(void *context, const GrpcEnd *end) {
    ((Client *)context)->commands--;
    if (end->status != GRPC_OK)
        print_failure(end);
}

static void command(Client *client, const char *method, const ProtobufCMessage *request) {
    client->commands++;
    grpc_call(client->grpc, method, request, DEADLINE,
              (GrpcHandler){&engine__v1__command_response__descriptor, ignore_answer, on_command_end, client});
}

static void on_loaded(void *context, const ProtobufCMessage *message) {
    const Engine__V1__LoadResponse *loaded = (const Engine__V1__LoadResponse *)message;
    Client *client = context;
    client->session = strdup(loaded->session_id);
    puts(loaded->url);
    Engine__V1__WatchRequest watch = ENGINE__V1__WATCH_REQUEST__INIT;
    watch.session_id = client->session;
    watch.time_interval_us = 500000;
    grpc_call(client->grpc, "/engine.v1.Engine/Watch", &watch.base, 0,
              (GrpcHandler){&engine__v1__watch_event__descriptor, on_event, on_watch_end, client});
    Engine__V1__SessionRequest play = ENGINE__V1__SESSION_REQUEST__INIT;
    play.session_id = client->session;
    command(client, "/engine.v1.Engine/Play", &play.base);
}

static void on_load_end(void *context, const GrpcEnd *end) {
    Client *client = context;
    if (end->status != GRPC_OK || client->session == NULL)
        print_failure(end);
    if (client->session == NULL)
        client->phase = FAILED;
}

static void obey(Client *client, const char *line) {
    Engine__V1__SessionRequest request = ENGINE__V1__SESSION_REQUEST__INIT;
    Engine__V1__SeekRequest seek = ENGINE__V1__SEEK_REQUEST__INIT;
    double seconds;
    request.session_id = seek.session_id = client->session;
    if (strcmp(line, "play") == 0) {
        command(client, "/engine.v1.Engine/Play", &request.base);
    } else if (strcmp(line, "pause") == 0) {
        command(client, "/engine.v1.Engine/Pause", &request.base);
    } else if (strcmp(line, "stop") == 0) {
        command(client, "/engine.v1.Engine/Stop", &request.base);
    } else if (sscanf(line, "seek %lf", &seconds) == 1 && fabs(seconds) < 1e12) {
        seek.position_us = llround(seconds * 1e6);
        command(client, "/engine.v1.Engine/Seek", &seek.base);
    } else {
        printf("play, pause, seek SECONDS or stop, not: %s\n", line);
    }
}

/* Carries out every complete line. Returns false when the input has ended. */
static bool read_commands(Client *client) {
    static char text[256];
    static size_t length;
    ssize_t size = read(STDIN_FILENO, text + length, sizeof text - length);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    length += (size_t)size;
    for (char *end; (end = memchr(text, '\n', length)) != NULL;) {
        size_t used = (size_t)(end - text) + 1;
        *end = 0;
        obey(client, text);
        length -= used;
        memmove(text, text + used, length);
    }
    if (length == sizeof text) {
        puts("a line is too long");
        length = 0;
    }
    return true;
}

static int run(Client *client) {
    struct pollfd polled[2] = {{.fd = grpc_descriptor(client->grpc)}, {.fd = STDIN_FILENO, .events = POLLIN}};
    bool has_input = true;
    while (client->phase == RUNNING || client->commands > 0) {
        /* Commands are read only once there is a session for them. */
        polled[0].events = grpc_interest(client->grpc);
        polled[1].fd = has_input && client->session != NULL ? STDIN_FILENO : -1;
        if (poll(polled, 2, -1) < 0 && errno != EINTR) {
            perror("poll");
            return 1;
        }
        if (polled[0].revents != 0)
            grpc_process(client->grpc);
        if (polled[1].fd >= 0 && polled[1].revents != 0 && !read_commands(client)) {
            has_input = false;
            obey(client, "stop");
        }
    }
    return client->phase == STOPPED ? 0 : 1;
}

int main(int count, char **arguments) {
    const char *socket_path = getenv("ENGINED_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    char *path = NULL, *source = NULL, *here = getcwd(NULL, 0);
    if (count != 2 || (socket_path == NULL && runtime == NULL) || here == NULL) {
        fputs("usage: watch FILE, with ENGINED_SOCKET or XDG_RUNTIME_DIR in the environment\n", stderr);
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (asprintf(&path, "%s%s", socket_path ? socket_path : runtime, socket_path ? "" : "/engined/engined.sock") < 0 ||
        asprintf(&source, "%s%s%s", arguments[1][0] == '/' ? "" : here, arguments[1][0] == '/' ? "" : "/", arguments[1]) < 0)
        abort();

    Client client = {.grpc = grpc_connect(path)};
    int code = 1;
    if (client.grpc == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    } else {
        Engine__V1__LoadRequest load = ENGINE__V1__LOAD_REQUEST__INIT;
        load.source = source;
        grpc_call(client.grpc, "/engine.v1.Engine/Load", &load.base, DEADLINE,
                  (GrpcHandler){&engine__v1__load_response__descriptor, on_loaded, on_load_end, &client});
        code = run(&client);
        grpc_close(client.grpc);
    }
    free(client.session);
    free(source);
    free(path);
    free(here);
    return code;
}
