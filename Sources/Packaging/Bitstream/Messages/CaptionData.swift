// SPDX-License-Identifier: Apache-2.0

/// `cc_data` of ATSC A/53 part 4 §6.2.3 and CTA-708 §4.4.
package enum CaptionData {
    /// The triplets in `data`: as many as its count says, limited to those present.
    ///
    /// - Parameter data: starts at the byte with the count.
    static func triplets(_ data: [UInt8]) -> [UInt8] {
        // process_cc_data_flag
        guard let first = data.first, first & 0x40 != 0 else { return [] }
        let end = min(2 + Int(first & 0x1F) * 3, data.count)
        guard end > 2 else { return [] }
        return Array(data[2..<(end - (end - 2) % 3)])
    }

    /// The triplets in a sample of a `c708` track (QuickTime): atoms of caption distribution packets (SMPTE ST 334-2
    /// §5).
    package static func triplets(sample: [UInt8]) -> [UInt8] {
        var found: [UInt8] = []
        var index = 0
        while index + 8 <= sample.count {
            let size = sample[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, size <= sample.count - index else { break }
            if Array(sample[(index + 4)..<(index + 8)]) == Array("ccdp".utf8) {
                found += triplets(packet: Array(sample[(index + 8)..<(index + size)]))
            }
            index += size
        }
        return found
    }

    private static func triplets(packet: [UInt8]) -> [UInt8] {
        guard packet.count > 7, packet[0] == 0x96, packet[1] == 0x69 else { return [] }
        // After the header: an optional time code section.
        let start = packet[7] == 0x71 ? 12 : 7
        // ccdata_present_flag and ccdata_id.
        guard packet[4] & 0x40 != 0, start + 1 < packet.count, packet[start] == 0x72 else { return [] }
        let first = start + 2
        let count = min(Int(packet[start + 1] & 0x1F), (packet.count - first) / 3)
        return Array(packet[first..<(first + count * 3)])
    }
}
