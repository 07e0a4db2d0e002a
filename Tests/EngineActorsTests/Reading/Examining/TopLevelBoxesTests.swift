// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Testing

@testable import Reading

@Suite("The top-level boxes of MP4 files")
struct TopLevelBoxesTests {
    private static func box(_ type: String, _ byteCount: Int, size: Int? = nil) -> [UInt8] {
        let size = UInt32(size ?? 8 + byteCount)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8)
            + [UInt8](repeating: 0, count: byteCount)
    }

    private static let start = box("ftyp", 16) + box("free", 0)
    private static let media = box("mdat", 100)

    private static let files: [(name: String, bytes: [UInt8], isWhole: Bool)] = [
        ("the index comes first", start + box("moov", 40) + media, true),
        ("the index comes last", start + media + box("moov", 40), true),
        ("another box follows the index", start + media + box("moov", 40) + box("udta", 8), true),
        ("the index has not been begun", start + media, false),
        ("the size of the media is not written yet", start + box("mdat", 100, size: 0), false),
        ("the media is longer than what is written", start + box("mdat", 100, size: 1000), false),
        ("a part of the index is written", start + media + Array(box("moov", 40).dropLast()), false),
        ("a part of the header of the index is written", start + media + Array(box("moov", 40).prefix(9)), false),
        ("the size of the index is not written yet", start + media + box("moov", 40, size: 0), false),
        ("empty", [], false),
    ]

    @Test("An index is complete once all of its bytes are present; the check reads no missing bytes", arguments: files)
    func index(_ name: String, _ bytes: [UInt8], _ isWhole: Bool) throws {
        let store = ScriptedByteStore(bytes, growingAnswers: .max)
        #expect(try TopLevelBoxes(store).hasWholeIndex() == isWhole, "\(name)")
        #expect(store.requests.withLock { $0.allSatisfy { $0.count == 16 } }, "\(name): waited for bytes")
    }
}
