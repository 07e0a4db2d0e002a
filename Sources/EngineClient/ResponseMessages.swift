// SPDX-License-Identifier: Apache-2.0

internal import Wire

/// The received messages of a response that have not been read yet. Pure: `ClientCall` receives and returns them.
///
/// While many are unread, the stream's window is held back, so that the engine stops sending.
struct ResponseMessages {
    /// The numbers of unread messages at which the window closes, and at which it opens again.
    static let highWater = 16
    static let lowWater = 4

    private var deframer = MessageDeframer(limit: Int(Int32.max))
    private var waiting: [[UInt8]] = []
    private var heldWindow = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: how many bytes of window to return to the stream.
    mutating func receive(_ bytes: Span<UInt8>) throws(GRPCFailure) -> Int {
        heldWindow += bytes.count
        try deframer.receive(bytes) { waiting.append($0) }
        return waiting.count < Self.highWater ? takeWindow() : 0
    }

    /// The next message, and how many bytes of window to return to the stream; `nil` if there is no message.
    mutating func next() -> (message: [UInt8], window: Int)? {
        guard !waiting.isEmpty else { return nil }
        let message = waiting.removeFirst()
        return (message, waiting.count <= Self.lowWater ? takeWindow() : 0)
    }

    mutating func removeAll() { waiting = [] }

    private mutating func takeWindow() -> Int {
        defer { heldWindow = 0 }
        return heldWindow
    }
}
