// SPDX-License-Identifier: Apache-2.0

/// The blocks of a WebVTT file, which blank lines separate. Pure.
package enum WebVTTBlocks {
    private static let arrow = Array("-->".utf8)

    /// A file without the blocks that are neither the header nor cues. libavformat 5.1 ignores everything after a block of
    /// the kind `STYLE` or `REGION`, or after an unknown one.
    package static func withCuesOnly(_ file: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(file.count)
        // The first block is the header.
        var block = (start: 0, lineCount: 0, isKept: true)
        var place = 0
        while place < file.count {
            let end = file[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? file.count
            let next = min(file.count, file[end...].starts(with: [0x0D, 0x0A]) ? end + 2 : end + 1)
            if end > place {
                block.lineCount += 1
                // The first line of a cue may be its identifier.
                if block.lineCount <= 2, file[place..<end].contains(arrow) { block.isKept = true }
            } else if block.lineCount > 0 {
                if block.isKept { kept += file[block.start..<next] }
                block = (next, 0, false)
            }
            place = next
        }
        if block.isKept { kept += file[block.start...] }
        return kept
    }
}
