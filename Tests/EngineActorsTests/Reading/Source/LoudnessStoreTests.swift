// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Reading

@Suite("Stored loudness")
struct LoudnessStoreTests {
    private static let loud = Loudness(integrated: -16.234, range: 4.5, truePeak: 0.75, duration: .seconds(61.5))
    private static let silent = Loudness(integrated: -.infinity, range: 0, truePeak: -.infinity, duration: .seconds(2))

    @Test("is read as it was written", arguments: [loud, silent])
    func reading(loudness: Loudness) {
        #expect(LoudnessStore.parse(LoudnessStore.text(loudness, "a film stream 1"), "a film stream 1") == loudness)
    }

    @Test("of another track, or in a damaged file, is ignored")
    func damage() {
        let text = LoudnessStore.text(Self.loud, "a film stream 1")
        #expect(LoudnessStore.parse(text, "a film stream 2") == nil)
        for count in 0..<text.count - 1 {
            #expect(LoudnessStore.parse(String(text.prefix(count)), "a film stream 1") == nil)
        }
        for (word, other) in [("4.5", "nan"), ("4.5", "loud"), ("61500000", "61.5"), ("loudness 1", "loudness 0")] {
            let changed = text.replacingOccurrences(of: word, with: other)
            #expect(changed != text && LoudnessStore.parse(changed, "a film stream 1") == nil)
        }
    }

    @Test("is found by the version of the source and the stream; without a version or a folder, nothing is stored")
    func keys() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-loudness-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = LoudnessStore(directory: folder.path)
        store.save(Self.loud, nil, stream: 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        store.save(Self.loud, "one", stream: 1)
        #expect(store.load("one", stream: 1) == Self.loud)
        #expect(store.load("one", stream: 2) == nil && store.load("two", stream: 1) == nil)
        #expect(store.load(nil, stream: 1) == nil)
        let none = LoudnessStore(directory: nil)
        none.save(Self.loud, "one", stream: 1)
        #expect(none.load("one", stream: 1) == nil)
    }
}
