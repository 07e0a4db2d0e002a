// SPDX-License-Identifier: Apache-2.0

extension Cue {
    /// Covers track, times and content, but not the script line, which is present only if it was requested.
    var digest: UInt64 {
        var digest = Digest()
        digest.add(UInt64(bitPattern: Int64(track)))
        digest.add(UInt64(bitPattern: start.microseconds))
        digest.add(UInt64(bitPattern: end?.microseconds ?? -1))
        switch content {
        case .text(let text):
            for run in text.runs {
                digest.add(run.text.utf8)
                let looks = [run.isBold, run.isItalic, run.isUnderlined, run.isStruckOut]
                digest.add(looks.reduce(UInt64(run.color ?? .max)) { $0 << 1 | ($1 ? 1 : 0) })
                digest.add((run.font ?? "").utf8)
                digest.add(run.size?.bitPattern ?? 0)
            }
            digest.add(UInt64(text.alignment))
            digest.add(text.position?.x.bitPattern ?? 0)
            digest.add(text.position?.y.bitPattern ?? 0)
        case .image(let image):
            digest.add(image.corner.x.bitPattern)
            digest.add(image.corner.y.bitPattern)
            digest.add(image.png)
        case .nothing: digest.add(UInt64(0))
        }
        return digest.value
    }
}

/// 64-bit FNV-1a (draft-eastlake-fnv §6), applied to whole words where possible.
private struct Digest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        value ^= word
        value &*= 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
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
}
