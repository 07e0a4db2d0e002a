// SPDX-License-Identifier: Apache-2.0

/// The outcome of a call, with gRPC's names and numbers (grpc/grpc: doc/statuscodes.md).
public enum GRPCStatusCode: Int, Hashable, Sendable, CaseIterable {
    case ok = 0
    case cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists, permissionDenied
    case resourceExhausted, failedPrecondition, aborted, outOfRange, unimplemented, `internal`, unavailable, dataLoss
    case unauthenticated
}
