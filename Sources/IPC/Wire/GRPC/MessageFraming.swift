// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// gRPC's "Length-Prefixed-Message": one byte for the compression flag, four for the length, then the message.
package enum MessageFraming {
    package static let prefixByteCount = 5
    package static let largestMessage = 4 << 20

    package static func prefix(messageByteCount count: Int) -> [UInt8] {
        [0, UInt8(count >> 24 & 255), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
    }

    /// Joins the parts into one message and prefixes it.
    package static func framed(_ parts: [some Collection<UInt8>]) -> [UInt8] {
        let count = parts.reduce(0) { $0 + $1.count }
        var bytes = prefix(messageByteCount: count)
        bytes.reserveCapacity(prefixByteCount + count)
        for part in parts { bytes.append(contentsOf: part) }
        return bytes
    }
}

/// Splits the body of a stream into messages.
package struct MessageDeframer {
    private var prefix: [UInt8] = []
    private var message: [UInt8] = []
    private var expected: Int?
    package let limit: Int

    package init(limit: Int = MessageFraming.largestMessage) { self.limit = limit }

    /// Bytes buffered for an incomplete message.
    package var heldByteCount: Int { message.count }

    /// Whether the body may end here.
    package var isBetweenMessages: Bool { prefix.isEmpty && expected == nil }

    /// Adds received bytes, and calls `body` with each message that they complete, in order.
    ///
    /// Allocates memory for bytes as they arrive, not for the length that a prefix claims.
    ///
    /// - Throws: the status with which the call must end.
    package mutating func receive(_ bytes: Span<UInt8>, _ body: ([UInt8]) -> Void) throws(GRPCFailure) {
        var offset = 0
        while offset < bytes.count || expected == 0 {
            guard let length = expected else {
                prefix.append(bytes[offset])
                offset += 1
                if prefix.count == MessageFraming.prefixByteCount { expected = try takePrefix() }
                continue
            }
            let taken = min(length - message.count, bytes.count - offset)
            message.append(bytes, in: offset..<offset + taken)
            offset += taken
            guard message.count == length else { return }
            let complete = message
            message = []
            expected = nil
            body(complete)
        }
    }

    private mutating func takePrefix() throws(GRPCFailure) -> Int {
        defer { prefix.removeAll(keepingCapacity: true) }
        guard prefix[0] == 0 else {
            throw GRPCFailure(.unimplemented, "compressed messages are not supported; send grpc-encoding: identity")
        }
        let length = prefix[1...].reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else {
            throw GRPCFailure(.resourceExhausted, "a message of \(length) bytes exceeds the limit of \(limit)")
        }
        return length
    }
}

/// The reason why a call cannot continue, as the status for its trailers.
package struct GRPCFailure: Error {
    package let status: GRPCStatus

    package init(_ status: GRPCStatus) { self.status = status }
    package init(_ code: GRPCStatusCode, _ message: String) { status = GRPCStatus(code, message) }
}
