// SPDX-License-Identifier: Apache-2.0

internal import Wire

/// The bytes of a request that have not been sent yet. Pure: `ClientCall` sends them.
struct RequestBody {
    /// While more bytes than this have not been sent, senders must wait.
    static let limit = 256 << 10

    private var bytes: [UInt8]
    private var sent = 0
    private var isComplete: Bool

    /// - Parameters:
    ///   - bytes: framed.
    ///   - isComplete: whether nothing follows `bytes`.
    init(_ bytes: [UInt8], isComplete: Bool) {
        self.bytes = bytes
        self.isComplete = isComplete
    }

    var hasRoom: Bool { bytes.count - sent <= Self.limit }

    mutating func append(_ framed: [UInt8]) { bytes += framed }

    mutating func complete() { isComplete = true }

    mutating func next(limit: Int) -> OutboundData {
        guard sent < bytes.count else { return isComplete ? .end(trailers: nil) : .later }
        let part = bytes[sent..<min(bytes.count, sent + limit)]
        sent += part.count
        if sent == bytes.count {
            bytes = []
            sent = 0
        }
        return .bytes(part)
    }
}
