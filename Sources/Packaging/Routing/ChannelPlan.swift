// SPDX-License-Identifier: Apache-2.0

/// Which channels a target is given, of those the source has. Masks are those of WAVEFORMATEXTENSIBLE (`AV_CH_*`).
package enum ChannelPlan {
    /// What the source's channels are called from here on, and what is encoded.
    package struct Choice: Hashable, Sendable {
        /// As many as the source has, in the same order.
        package var source: UInt64
        package var target: UInt64
    }

    private static let back: UInt64 = 0x30
    private static let side: UInt64 = 0x600

    /// The smallest of `layouts` that has every channel of `source`, else the largest that there is room for, into which
    /// the rest is mixed.
    ///
    /// Two channels behind the listener are the same two whether a format calls them back or side.
    ///
    /// - Parameter layouts: what the encoder and the player take. Not empty.
    package static func choose(for source: UInt64, among layouts: [UInt64], atMost channels: Int) -> Choice {
        let room = layouts.filter { $0.nonzeroBitCount <= channels }
        for name in [source, renamed(source)] where room.contains(name) { return Choice(source: name, target: name) }
        let sizes = room.sorted { $0.nonzeroBitCount < $1.nonzeroBitCount }
        for name in [source, renamed(source)] {
            if let fit = sizes.first(where: { $0 & name == name }) { return Choice(source: name, target: fit) }
        }
        let count = source.nonzeroBitCount
        let fallback = sizes.last { $0.nonzeroBitCount <= count } ?? sizes.first ?? 0x3
        return Choice(source: source, target: fallback)
    }

    /// Whether some channel of `source` has no place of its own in `target`, however many that has.
    package static func mixes(_ source: UInt64, into target: UInt64) -> Bool {
        [source, renamed(source)].allSatisfy { target & $0 != $0 }
    }

    /// With back for side, or side for back, where only one of them is there.
    private static func renamed(_ mask: UInt64) -> UInt64 {
        switch (mask & back, mask & side) {
        case (back, 0): mask & ~back | side
        case (0, side): mask & ~side | back
        default: mask
        }
    }

    /// The layouts a FLAC stream stands for by its number of channels alone (RFC 9639 §9.1.3).
    package static let flac: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
    /// What A/52 codes: front, centre, and a pair or one behind, most of them with low frequencies as well.
    package static let dolbyDigital: [UInt64] = [
        0x4, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607, 0x33, 0x37, 0xB, 0xF, 0x10B, 0x10F, 0x60F, 0x3F,
    ]
    /// The channel configurations 1 … 6 of ISO/IEC 14496-3.
    package static let aac: [UInt64] = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3F]
}
