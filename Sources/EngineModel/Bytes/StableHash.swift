// SPDX-License-Identifier: Apache-2.0

/// A 64-bit hash that is the same in every process and on every machine: for names, tags and identifiers that outlive a
/// process. `Hasher` is unsuitable, because its seed is random. Not cryptographic: collisions are easy to construct.
///
/// Like FNV-1a (draft-eastlake-fnv §6), but over words of eight bytes, with a shift after each multiplication.
package struct StableHash: Sendable {
    private(set) package var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// The hash of `bytes` alone.
    package init(of bytes: some Sequence<UInt8>) { add(bytes) }

    /// As above, specialised for slices, because it runs for each packet of a transport stream, and other modules
    /// cannot specialise a generic function.
    package init(of bytes: ArraySlice<UInt8>) { addEach(of: bytes) }

    /// As above, specialised for arrays, because it runs for whole playlists and for each row of the journal.
    package init(of bytes: [UInt8]) { addEach(of: bytes) }

    package mutating func add(_ word: UInt64) {
        value ^= word
        value &*= 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    /// Adds the bytes and their number, so that splitting the same bytes differently between two calls gives another
    /// hash.
    package mutating func add(_ bytes: some Sequence<UInt8>) { addEach(of: bytes) }

    /// As above, specialised for arrays.
    package mutating func add(_ bytes: [UInt8]) { addEach(of: bytes) }

    private mutating func addEach(of bytes: some Sequence<UInt8>) {
        var word: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            count &+= 1
            if count % 8 == 0 { add(word) }
        }
        add(word)
        add(count)
    }

    /// Sixteen hexadecimal digits.
    package var hexadecimal: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
