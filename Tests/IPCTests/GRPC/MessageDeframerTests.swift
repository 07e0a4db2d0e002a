// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Splitting a stream into messages")
struct MessageDeframerTests {
    /// Feeds `bytes` in pieces of `size` and returns the messages.
    private func deframe(_ bytes: [UInt8], pieces size: Int, limit: Int = 100) throws -> [[UInt8]] {
        var deframer = MessageDeframer(limit: limit)
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(bytes.count, start + size)])
            try deframer.receive(piece.span) { messages.append($0) }
        }
        #expect(deframer.isBetweenMessages)
        return messages
    }

    @Test("messages come out whole however the bytes are split, and so do empty ones", arguments: 1...20)
    func pieces(_ size: Int) throws {
        let messages: [[UInt8]] = [[1, 2, 3], [], [], Array(0..<50), []]
        let bytes = messages.flatMap { MessageFraming.prefix(messageByteCount: $0.count) + $0 }
        #expect(try deframe(bytes, pieces: size) == messages)
    }

    @Test("a message is preceded by its length in network byte order, and may be as long as the limit")
    func length() throws {
        #expect(MessageFraming.prefix(messageByteCount: 0x0102_0304) == [0, 1, 2, 3, 4])
        let message = [UInt8](repeating: 7, count: 0x0102)
        #expect(try deframe([0, 0, 0, 1, 2] + message, pieces: 100, limit: 0x0102) == [message])
    }

    @Test("a message above the limit is rejected once its prefix has been read, and nothing is buffered")
    func tooLong() {
        var deframer = MessageDeframer(limit: 4)
        let prefix = MessageFraming.prefix(messageByteCount: 5)
        let failure = #expect(throws: GRPCFailure.self) { try deframer.receive(prefix.span) { _ in } }
        #expect(failure?.status.code == .resourceExhausted)
        #expect(deframer.heldByteCount == 0)
    }

    @Test("a compressed message is rejected as unimplemented")
    func compressed() {
        var deframer = MessageDeframer()
        let prefix: [UInt8] = [1, 0, 0, 0, 1, 7]
        let failure = #expect(throws: GRPCFailure.self) { try deframer.receive(prefix.span) { _ in } }
        #expect(failure?.status.code == .unimplemented)
    }

    @Test("a stream that ends inside a prefix or a message is detected", arguments: [1, 4, 5, 7])
    func endsEarly(_ count: Int) throws {
        var deframer = MessageDeframer()
        let bytes = Array((MessageFraming.prefix(messageByteCount: 3) + [1, 2, 3]).prefix(count))
        try deframer.receive(bytes.span) { _ in }
        #expect(!deframer.isBetweenMessages)
    }
}
