// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("The status of failures on the wire")
struct ErrorStatusTests {
    /// The contract's statuses, which never change.
    private static let statuses: [EngineError.Code: GRPCStatusCode] = [
        .invalidArgument: .invalidArgument, .sourceNotFound: .notFound, .sourceAccessDenied: .permissionDenied,
        .sourceNotReadable: .failedPrecondition, .sourceReadFailed: .unavailable, .sourceEmpty: .failedPrecondition,
        .sourceNotMedia: .failedPrecondition, .noPlayableStream: .failedPrecondition,
        .sourceEncrypted: .failedPrecondition, .sourceRefused: .permissionDenied, .sourceUnreachable: .unavailable,
        .sourceChanged: .failedPrecondition, .sourceCrashed: .failedPrecondition,
        .segmentFailed: .internal, .recordingFailed: .failedPrecondition, .sessionNotFound: .notFound,
        .trackNotFound: .notFound, .programNotFound: .notFound, .revisionConflict: .aborted,
        .rendererConflict: .failedPrecondition,
        .pathConflict: .failedPrecondition, .resourceExhausted: .resourceExhausted, .cancelled: .cancelled,
        .unavailable: .unavailable, .internal: .internal,
    ]

    @Test("each error code has its status", arguments: EngineError.Code.allCases)
    func status(code: EngineError.Code) { #expect(GRPCStatus(EngineError(code, "x")).code == Self.statuses[code]) }

    @Test("trailers carry all fields that are set, and no others")
    func trailers() {
        let error = EngineError(.trackNotFound, "track 7\n", cause: "50 %", field: "track")
        #expect(
            GRPCStatus(error).fields.map { "\($0): \($1)" } == [
                "grpc-status: 5", "grpc-message: track_not_found: track 7%0A (50 %25)",
                "engine-error-code: track_not_found", "engine-error-cause: 50 %25", "engine-error-field: track",
            ]
        )
        #expect(GRPCStatus(.ok).fields.map { "\($0): \($1)" } == ["grpc-status: 0"])
    }
}
