// SPDX-License-Identifier: Apache-2.0

/// The beginning of a picture in the packets of a Blu-ray clip, read without a demuxer.
package struct TransportUnit: Hashable, Sendable {
    /// A packet of ISO/IEC 13818-1 (188 bytes), preceded by four bytes with its arrival time.
    package static let packetByteCount = 192

    /// Its presentation time, in ticks of 90 kHz. 33 bits.
    package let time: Int64
    /// The first bytes of the picture, as many as the given packets contain.
    package let payload: [UInt8]

    /// - Parameters:
    ///   - bytes: the bytes of the clip, starting at the packet in which the picture begins.
    ///   - pid: the PID of the video.
    /// - Returns: `nil` if no picture begins there.
    package init?(_ bytes: [UInt8], pid: Int) {
        var unit: [UInt8] = []
        for start in stride(from: 0, through: bytes.count - Self.packetByteCount, by: Self.packetByteCount) {
            let packet = bytes[start + 4..<start + Self.packetByteCount]
            let at = packet.startIndex
            guard packet[at] == 0x47 else { return nil }
            guard Int(packet[at + 1] & 0x1F) << 8 | Int(packet[at + 2]) == pid else {
                if start == 0 { return nil }
                continue
            }
            let begins = packet[at + 1] & 0x40 != 0
            guard begins == (start == 0) else {
                if start == 0 { return nil }
                break
            }
            let control = packet[at + 3] >> 4 & 3
            guard control & 1 == 1 else { continue }
            let skipped = control == 3 ? 1 + Int(packet[at + 4]) : 0
            guard 4 + skipped <= packet.count else { return nil }
            unit += packet[(at + 4 + skipped)...]
        }
        // ISO/IEC 13818-1, 2.4.3.6: a PES packet whose flags say that a PTS is there.
        guard unit.count >= 14, unit[0...2].elementsEqual([0, 0, 1]), unit[7] & 0x80 != 0 else { return nil }
        let header = 9 + Int(unit[8])
        guard header <= unit.count else { return nil }
        let high = Int64(unit[9] >> 1 & 7) << 30
        let middle = (Int64(unit[10]) << 8 | Int64(unit[11])) >> 1
        let low = (Int64(unit[12]) << 8 | Int64(unit[13])) >> 1
        time = high | (middle << 15) | low
        payload = Array(unit[header...])
    }
}
