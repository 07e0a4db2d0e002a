// SPDX-License-Identifier: Apache-2.0

/// The lossless (XLL) frame in the extension substream of a DTS-HD packet, read only to detect objects
/// (ETSI TS 102 114 §8; the extension after the bands is recognised by its sync word only).
struct DTSLosslessFrame: Hashable, Sendable {
    /// Whether a DTS:X extension follows the bands of the frame.
    let hasObjects: Bool

    private static let substreamSync: UInt32 = 0x6458_2025
    private static let losslessSync: UInt32 = 0x41A2_9547
    private static let objectSync: UInt32 = 0x0200_0850
    /// The sync word of the IMAX variant, whose lowest bit varies.
    private static let imaxObjectSync: UInt32 = 0xF140_00D0
    private static let packetLimit = 1 << 17

    /// - Parameter packet: core and extension substreams of one frame. `nil` if it contains no lossless frame.
    init?(_ packet: [UInt8]) {
        let packet = Array(packet.prefix(Self.packetLimit))
        // Substreams and the frames within them are aligned to 32-bit words, relative to the start of the substream.
        guard let substream = Self.first(Self.substreamSync, in: packet, from: 0),
            let start = Self.first(Self.losslessSync, in: packet, from: substream),
            let size = Self.frameSize(packet, at: start)
        else { return nil }
        let end = min(packet.count, start + size)
        var place = start + 4
        var isFound = false
        while place + 4 <= end, !isFound {
            let word = Self.word(packet, place)
            isFound = word == Self.objectSync || word >> 1 == Self.imaxObjectSync >> 1
            place += 4
        }
        hasObjects = isFound
    }

    /// The size of a lossless frame in bytes, from its common header (§8.2.1).
    private static func frameSize(_ packet: [UInt8], at start: Int) -> Int? {
        var reader = BitReader(Array(packet[start..<min(packet.count, start + 16)]), subject: "DTS lossless frame")
        do throws(PackagingError) {
            // sync word, version, header size
            try reader.skip(32 + 4 + 8)
            let bits = try reader.int(5) + 1
            return try reader.int(bits) + 1
        } catch {
            return nil
        }
    }

    /// The first aligned position of `sync` at or after `start`.
    private static func first(_ sync: UInt32, in packet: [UInt8], from start: Int) -> Int? {
        var place = start
        while place + 4 <= packet.count {
            if word(packet, place) == sync { return place }
            place += 4
        }
        return nil
    }

    private static func word(_ packet: [UInt8], _ place: Int) -> UInt32 {
        packet[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
