// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineModel

@Suite("Stable hash")
struct StableHashTests {
    @Test("Hashes in file names and entity tags stay the same from version to version")
    func isFrozen() {
        #expect(StableHash(of: []).hexadecimal == "22d85fb801f1b909")
        #expect(StableHash(of: "a".utf8).hexadecimal == "25be3ab836378023")
        #expect(StableHash(of: "/films/Sintel.mkv".utf8).hexadecimal == "b9dcf998ffea06ba")
    }

    @Test("A byte that changes, moves, or is added gives another hash")
    func distinguishes() {
        let texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "abcdefgh", "abcdefgh\0", "\0abcdefgh", "abcdefghi"]
        let hashes = Set(texts.map { StableHash(of: $0.utf8).value })
        #expect(hashes.count == texts.count)
        var parted = StableHash()
        parted.add("abc".utf8)
        parted.add("d".utf8)
        var other = StableHash()
        other.add("ab".utf8)
        other.add("cd".utf8)
        #expect(parted.value != other.value)
    }

    @Test("Arrays, slices and other sequences of the same bytes have the same hash")
    func kindsOfSequences() {
        let text = "abcdefghi, and more than one word"
        let hash = StableHash(of: text.utf8).value
        #expect(StableHash(of: Array(text.utf8)).value == hash)
        #expect(StableHash(of: Array("-\(text)".utf8)[1...]).value == hash)
        var (added, parted) = (StableHash(), StableHash())
        added.add(Array(text.utf8))
        parted.add(text.utf8)
        #expect(added.value == hash && parted.value == hash)
    }
}
