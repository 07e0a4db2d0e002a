// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Server
@testable import Wire

@Suite("Hostile messages")
struct HostileMessageTests {
    @Test(
        "malformed bytes are rejected as an invalid argument",
        arguments: [
            [0xFF, 0xFF, 0xFF], [0x0A], [0x0A, 0x05, 0x61], [0x0B], [0x00], [0x08],
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ] as [[UInt8]]
    )
    func garbage(_ bytes: [UInt8]) {
        let error = #expect(throws: EngineError.self) { try LoadRequest(wire: bytes) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "text that is not UTF-8 or contains NUL is rejected with the field's name",
        arguments: [
            [0x0A, 0x02, 0xFF, 0xFE], [0x0A, 0x02, 0xC3, 0x28], [0x0A, 0x03, 0x2F, 0x00, 0x61],
        ] as [[UInt8]]
    )
    func text(_ bytes: [UInt8]) {
        let error = #expect(throws: EngineError.self) { try LoadRequest(wire: bytes) }
        #expect(error?.message.hasPrefix("source ") == true)
    }

    @Test("a nested field is named by its whole path")
    func nestedText() {
        let error = #expect(throws: EngineError.self) {
            try LoadRequest(wire: [0x0A, 0x01, 0x2F, 0x1A, 0x06, 0x22, 0x04, 0x0A, 0x02, 0xFF, 0xFE])
        }
        #expect(error?.field == "options.custom_profile.formats")
        #expect(error?.message == "options.custom_profile.formats is not valid UTF-8")
    }

    @Test("a message of many tiny unknown fields is rejected before it is unpacked")
    func manyFields() {
        let bytes = (0..<20_000).flatMap { _ in [0x78, 0x01] as [UInt8] }
        let error = #expect(throws: EngineError.self) { try LoadRequest(wire: bytes) }
        #expect(error?.message == "the message has too many fields")
    }

    @Test("a message may have as many fields as the limit")
    func fieldLimit() throws {
        let unknown = repeatElement([0x78, 0x01] as [UInt8], count: MessageValidator.requestFieldLimit - 1)
        let bytes: [UInt8] = [0x0A, 0x01, 0x2F] + unknown.flatMap(\.self)
        #expect(try LoadRequest(wire: bytes).source == "/")
        #expect(throws: EngineError.self) { try LoadRequest(wire: bytes + [0x78, 0x01]) }
    }

    /// An event that contains a batch that contains an event, and so on: `depth` messages inside the outermost one.
    private func nested(_ depth: Int) -> [UInt8] {
        (0..<depth).reversed().reduce([]) { [$1.isMultiple(of: 2) ? 0x52 : 0x0A, UInt8($0.count)] + $0 }
    }

    @Test("messages may be nested up to the limit, and no deeper")
    func nesting() {
        #expect(throws: Never.self) { try WatchEvent.decoded(nested(MessageValidator.deepestNesting - 1)) }
        let error = #expect(throws: EngineError.self) {
            try WatchEvent.decoded(nested(MessageValidator.deepestNesting))
        }
        #expect(error?.message.contains("nested deeper than") == true)
    }

    @Test("unknown fields are allowed: a newer client may send them")
    func unknownFields() throws {
        let request = try LoadRequest(wire: [0x0A, 0x02, 0x2F, 0x61, 0x78, 0x01, 0xFA, 0x01, 0x01, 0x41])
        #expect(request.source == "/a")
    }

    @Test(
        "invalid fields are rejected with their name",
        arguments: [
            ([0x18, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], "time_interval_us is below -1"),
            ([0x20, 0x1F], "fields contains 31, which is not a StateField"),
            ([0x20, 0x00], "fields contains 0, which is not a StateField"),
            ([0x20, 0x13], "fields contains 19, which is not a StateField"),
            ([0x0A, 0x01, 0x61, 0x10, 0x01], "session_id and all_sessions cannot both be set"),
        ] as [([UInt8], String)]
    )
    func watch(_ bytes: [UInt8], _ message: String) {
        let error = #expect(throws: EngineError.self) { try WatchOptions(wire: bytes) }
        #expect(error?.message == message)
        #expect(error?.field.isEmpty == false && message.hasPrefix(error?.field ?? "-"))
    }

    @Test("groups of fields that only a newer engine knows are ignored by a client")
    func newerGroups() {
        let sent = [1, 0, 31, 18, 4_000_000_000].map { Proto.StateField(rawValue: $0) }
        #expect(StateFields(known: sent) == StateFields(rawValue: 1 << 1 | 1 << 18))
    }

    @Test("random bytes give a message or an error, and never a crash")
    func random() {
        var generator = SplitMix(state: 64)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...64, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = try? LoadRequest(wire: bytes)
            _ = try? CommandRequest(seek: bytes)
            _ = try? RenderRequest(wire: bytes)
            _ = try? SessionState(wire: bytes)
            _ = try? WatchEvent.decoded(bytes)
            _ = try? ReflectionRequest(wire: bytes)
        }
    }

    @Test("a state that is damaged or truncated at any byte gives a state or an error, and never a crash")
    func damaged() {
        let whole = Array(Samples.state.framed().dropFirst(5))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= UInt8(1 << (index % 8))
            _ = try? SessionState(wire: bytes)
            _ = try? SessionState(wire: Array(whole.prefix(index)))
        }
    }
}
