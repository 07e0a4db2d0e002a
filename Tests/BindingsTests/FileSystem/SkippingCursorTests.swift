// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings

@Suite("Skipping bytes of a source")
struct SkippingCursorTests {
    private static let bytes = (0..<200).map { UInt8($0) }

    @Test("the skipped bytes are a box of their length, and all others keep their positions")
    func view() throws {
        let cursor = SkippingCursor(MemoryStore(Self.bytes), skipping: 50..<150)
        let found = try cursor.read(at: 0, count: 200)
        #expect(found.count == 200 && cursor.byteCount == 200)
        #expect(found[..<50] == Self.bytes[..<50] && found[150...] == Self.bytes[150...])
        #expect(found[50..<66] == ([0, 0, 0, 1] + Array("free".utf8) + [0, 0, 0, 0, 0, 0, 0, 100])[...])
        for start in 0..<200 {
            #expect(try cursor.read(at: Int64(start), count: 7) == Array(found[start...].prefix(7)))
        }
    }

    @Test("no skipped byte is read from the source")
    func reads() throws {
        let store = ScriptedByteStore(Self.bytes)
        _ = try SkippingCursor(store, skipping: 50..<150).read(at: 0, count: 200)
        #expect(store.requests.withLock { $0.allSatisfy { $0.upperBound <= 50 || $0.lowerBound >= 150 } })
    }
}
