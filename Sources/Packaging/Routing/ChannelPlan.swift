// SPDX-License-Identifier: Apache-2.0

/// Chooses the channel layout to encode for a source. Masks are those of WAVEFORMATEXTENSIBLE (`AV_CH_*`).
package enum ChannelPlan {
    /// The source's channel layout as it is interpreted, and the layout to encode.
    package struct Choice: Hashable, Sendable {
        /// Same number and order of channels as the source.
        package var source: UInt64
        package var target: UInt64
    }

    private static let back: UInt64 = 0x30
    private static let side: UInt64 = 0x600

    /// The smallest of `layouts` that has every channel of `source`. If there is none, `source` is mixed down to the
    /// largest layout with no more channels than it has.
    ///
    /// A pair of rear channels is treated as the same whether a format calls it back or side.
    ///
    /// - Parameters:
    ///   - layouts: those that both the encoder and the player support. Not empty.
    ///   - channels: the maximum number of channels; larger layouts are not considered.
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

    /// Whether some channel of `source` has no counterpart in `target`, regardless of the number of channels.
    package static func mixes(_ source: UInt64, into target: UInt64) -> Bool {
        [source, renamed(source)].allSatisfy { target & $0 != $0 }
    }

    /// The mask with back channels renamed to side channels, or the reverse, if it has only one of the two pairs.
    private static func renamed(_ mask: UInt64) -> UInt64 {
        switch (mask & back, mask & side) {
        case (back, 0): mask & ~back | side
        case (0, side): mask & ~side | back
        default: mask
        }
    }

    /// The layouts that a FLAC stream implies by its number of channels (RFC 9639 §9.1.3).
    package static let flac: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
    /// The layouts of A/52: front, centre, and one or two rear channels, most of them also with LFE.
    package static let dolbyDigital: [UInt64] = [
        0x4, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607, 0x33, 0x37, 0xB, 0xF, 0x10B, 0x10F, 0x60F, 0x3F,
    ]
    /// The channel configurations 1 … 6 of ISO/IEC 14496-3.
    package static let aac: [UInt64] = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3F]
}
