// SPDX-License-Identifier: Apache-2.0

extension Cue {
    /// Covers track, times and content. The cues of a script are made with their lines, so that the digest does not
    /// depend on whether a client requested the lines.
    var digest: UInt64 {
        var digest = StableHash()
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
            // Events of the same text differ in effects that only a script line has.
            if let raw = text.raw { digest.add(raw.utf8) }
        case .image(let image):
            digest.add(image.corner.x.bitPattern)
            digest.add(image.corner.y.bitPattern)
            digest.add(image.png)
        case .nothing: digest.add(UInt64(0))
        }
        return digest.value
    }
}
