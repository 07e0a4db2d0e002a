/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "grpc.h"

#include <ctype.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A message is preceded by a compression flag of one byte and its length in four bytes (big endian). */
enum { PREFIX = 5, LARGEST_MESSAGE = 16 << 20 };

typedef struct Call {
    struct Call *next, *previous; /* in the list of open calls */
    GrpcHandler handler;
    uint8_t *request;
    size_t request_size, request_sent;
    uint8_t *received; /* received bytes of the next message */
    size_t received_size;
    bool has_status;
    GrpcEnd end;
} Call;

struct Grpc {
    int descriptor;
    nghttp2_session *session;
    Call *calls;
    bool is_over;
};

static void *allocated(void *memory) {
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void fail(Call *call, int status, const char *message) {
    call->has_status = true;
    call->end.status = status;
    snprintf(call->end.message, sizeof call->end.message, "%s", message);
}

static void finish(Grpc *grpc, Call *call) {
    if (call->has_status && call->end.status == GRPC_OK && call->received_size > 0)
        fail(call, GRPC_INTERNAL, "the last message is cut off");
    if (call->previous != NULL)
        call->previous->next = call->next;
    else
        grpc->calls = call->next;
    if (call->next != NULL)
        call->next->previous = call->previous;
    call->handler.end(call->handler.context, &call->end);
    free(call->request);
    free(call->received);
    free(call);
}

/* Delivers every complete message. Returns false if the bytes are malformed. */
static bool take_messages(Call *call) {
    size_t start = 0;
    while (call->received_size - start >= PREFIX) {
        const uint8_t *at = call->received + start;
        size_t size = (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
        if (at[0] != 0 || size > LARGEST_MESSAGE)
            return false;
        if (call->received_size - start - PREFIX < size)
            break;
        ProtobufCMessage *message = protobuf_c_message_unpack(call->handler.answer, NULL, size, at + PREFIX);
        if (message == NULL)
            return false;
        call->handler.message(call->handler.context, message);
        protobuf_c_message_free_unpacked(message, NULL);
        start += PREFIX + size;
    }
    call->received_size -= start;
    memmove(call->received, call->received + start, call->received_size);
    return true;
}

/* grpc-message is percent-encoded; all other characters are literal. */
static void copy_decoded(char *out, size_t room, const uint8_t *value, size_t size) {
    size_t length = 0;
    for (size_t at = 0; at < size && length + 1 < room; at++) {
        char escape[3] = {0};
        if (value[at] == '%' && at + 2 < size && isxdigit(value[at + 1]) && isxdigit(value[at + 2])) {
            memcpy(escape, value + at + 1, 2);
            at += 2;
            out[length++] = (char)strtol(escape, NULL, 16);
        } else {
            out[length++] = (char)value[at];
        }
    }
    out[length] = 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user) {
    (void)flags, (void)name_size, (void)user;
    Call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    const char *key = (const char *)name; /* nghttp2 terminates names and values with NUL. */
    if (call == NULL)
        return 0;
    if (strcmp(key, "grpc-status") == 0) {
        call->has_status = true;
        call->end.status = atoi((const char *)value);
    } else if (strcmp(key, "grpc-message") == 0) {
        copy_decoded(call->end.message, sizeof call->end.message, value, value_size);
    } else if (strcmp(key, "engine-error-code") == 0) {
        copy_decoded(call->end.error_code, sizeof call->end.error_code, value, value_size);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t size, void *user) {
    (void)flags, (void)user;
    Call *call = nghttp2_session_get_stream_user_data(session, stream);
    if (call == NULL || call->has_status) /* the call has already failed */
        return 0;
    call->received = allocated(realloc(call->received, call->received_size + size + 1));
    memcpy(call->received + call->received_size, data, size);
    call->received_size += size;
    if (!take_messages(call)) {
        fail(call, GRPC_INTERNAL, "the answer is not a message");
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
    }
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user) {
    Call *call = nghttp2_session_get_stream_user_data(session, stream);
    if (call == NULL)
        return 0;
    if (!call->has_status)
        fail(call, error == NGHTTP2_CANCEL ? GRPC_CANCELLED : error == NGHTTP2_REFUSED_STREAM ? GRPC_UNAVAILABLE
                                                                                              : GRPC_INTERNAL,
             nghttp2_http2_strerror(error));
    finish(user, call);
    return 0;
}

static ssize_t read_request(nghttp2_session *session, int32_t stream, uint8_t *out, size_t room, uint32_t *flags,
                            nghttp2_data_source *source, void *user) {
    (void)session, (void)stream, (void)user;
    Call *call = source->ptr;
    size_t left = call->request_size - call->request_sent, size = left < room ? left : room;
    memcpy(out, call->request + call->request_sent, size);
    call->request_sent += size;
    if (size == left)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)size;
}

static ssize_t receive(nghttp2_session *session, uint8_t *out, size_t room, int flags, void *user) {
    (void)session, (void)flags;
    ssize_t size = recv(((Grpc *)user)->descriptor, out, room, 0);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? NGHTTP2_ERR_WOULDBLOCK : NGHTTP2_ERR_CALLBACK_FAILURE;
    return size == 0 ? NGHTTP2_ERR_EOF : size;
}

static ssize_t transmit(nghttp2_session *session, const uint8_t *data, size_t size, int flags, void *user) {
    (void)session, (void)flags;
    ssize_t sent = send(((Grpc *)user)->descriptor, data, size, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR ? NGHTTP2_ERR_WOULDBLOCK : NGHTTP2_ERR_CALLBACK_FAILURE;
    return sent;
}

Grpc *grpc_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return NULL;
    /* A Unix socket connects immediately or fails. */
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return NULL;
    }
    Grpc *grpc = allocated(calloc(1, sizeof *grpc));
    grpc->descriptor = descriptor;
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_recv_callback(allocated(callbacks), receive);
    nghttp2_session_callbacks_set_send_callback(callbacks, transmit);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_client_new(&grpc->session, callbacks, grpc);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(allocated(grpc->session), NGHTTP2_FLAG_NONE, NULL, 0);
    return grpc;
}

static void end_calls(Grpc *grpc) {
    grpc->is_over = true;
    while (grpc->calls != NULL) {
        Call *call = grpc->calls;
        if (!call->has_status)
            fail(call, GRPC_UNAVAILABLE, "the connection is gone");
        finish(grpc, call);
    }
}

void grpc_close(Grpc *grpc) {
    end_calls(grpc);
    nghttp2_session_del(grpc->session);
    close(grpc->descriptor);
    free(grpc);
}

int grpc_descriptor(const Grpc *grpc) { return grpc->descriptor; }

short grpc_interest(const Grpc *grpc) {
    if (grpc->is_over)
        return 0;
    return (short)((nghttp2_session_want_read(grpc->session) ? POLLIN : 0) |
                   (nghttp2_session_want_write(grpc->session) ? POLLOUT : 0));
}

void grpc_process(Grpc *grpc) {
    if (!grpc->is_over && (nghttp2_session_recv(grpc->session) != 0 || nghttp2_session_send(grpc->session) != 0 ||
                           grpc_interest(grpc) == 0))
        end_calls(grpc);
}

void grpc_call(Grpc *grpc, const char *method, const ProtobufCMessage *request, int seconds, GrpcHandler handler) {
    Call *call = allocated(calloc(1, sizeof *call));
    size_t size = protobuf_c_message_get_packed_size(request);
    call->handler = handler;
    call->end.method = method;
    call->request_size = PREFIX + size;
    call->request = allocated(calloc(1, call->request_size));
    for (int byte = 0; byte < 4; byte++)
        call->request[1 + byte] = (uint8_t)(size >> (24 - 8 * byte));
    protobuf_c_message_pack(request, call->request + PREFIX);
    if ((call->next = grpc->calls) != NULL)
        call->next->previous = call;
    grpc->calls = call;

    char timeout[16];
    snprintf(timeout, sizeof timeout, "%dS", seconds);
#define HEADER(key, text) {(uint8_t *)(key), (uint8_t *)(text), strlen(key), strlen(text), NGHTTP2_NV_FLAG_NONE}
    const nghttp2_nv headers[] = {
        HEADER(":method", "POST"), HEADER(":scheme", "http"), HEADER(":authority", "localhost"),
        HEADER(":path", method), HEADER("content-type", "application/grpc"), HEADER("te", "trailers"),
        HEADER("grpc-timeout", timeout), /* last, so that it can be omitted without a deadline */
    };
    size_t count = sizeof headers / sizeof headers[0] - (seconds > 0 ? 0 : 1);
    nghttp2_data_provider body = {.source.ptr = call, .read_callback = read_request};
    if (grpc->is_over || nghttp2_submit_request(grpc->session, NULL, headers, count, &body, call) < 0) {
        fail(call, GRPC_UNAVAILABLE, "the connection is gone");
        finish(grpc, call);
    }
}

const char *grpc_status_name(int status) {
    static const char *const names[] = {
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
        "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    };
    return status >= 0 && status < (int)(sizeof names / sizeof names[0]) ? names[status] : "UNKNOWN";
}
