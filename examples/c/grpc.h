/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small gRPC client: one HTTP/2 connection over a Unix socket, unary calls and server streams, messages by protobuf-c.
 * Nothing blocks and no thread is started: the owner polls grpc_descriptor() for grpc_interest() and calls
 * grpc_process(), which runs the handlers. A handler may start calls, but must not close the connection.
 */
#pragma once
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/* The gRPC status codes that this client generates itself; the engine also sends others. */
enum { GRPC_OK = 0, GRPC_CANCELLED = 1, GRPC_INTERNAL = 13, GRPC_UNAVAILABLE = 14 };

typedef struct {
    const char *method;  /* as passed to grpc_call() */
    int status;          /* grpc-status */
    char message[1100];  /* grpc-message, percent-decoded */
    char error_code[64]; /* engine-error-code; empty if the transport failed */
} GrpcEnd;

typedef struct {
    const ProtobufCMessageDescriptor *answer;
    /* Receives one message of the response. The message is freed after the call. */
    void (*message)(void *context, const ProtobufCMessage *message);
    /* Called last, exactly once for every call, however it ends. */
    void (*end)(void *context, const GrpcEnd *end);
    void *context;
} GrpcHandler;

typedef struct Grpc Grpc;

/* Connects to the socket at `path`. Returns NULL and sets errno on failure. */
Grpc *grpc_connect(const char *path);
/* Ends every open call, then the connection. */
void grpc_close(Grpc *grpc);
int grpc_descriptor(const Grpc *grpc);
/* The events to poll for. 0: the connection has ended. */
short grpc_interest(const Grpc *grpc);
/* Reads and writes as much as possible without waiting. */
void grpc_process(Grpc *grpc);
/*
 * Calls `method`, such as "/engine.v1.Engine/Load". `seconds` is the deadline, 0 for none. `method` must outlive the
 * call; the handler is copied. If the connection has already ended, `end` is called before this function returns.
 */
void grpc_call(Grpc *grpc, const char *method, const ProtobufCMessage *request, int seconds, GrpcHandler handler);
/* The name of a status, such as "NOT_FOUND". */
const char *grpc_status_name(int status);
