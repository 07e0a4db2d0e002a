// SPDX-License-Identifier: Apache-2.0

internal import CAlsa

/// The channel map of a device, in the device's own order (`snd_pcm_chmap_t`).
struct AlsaChannels: Hashable, Sendable {
    /// libavutil's channels in the order of their mask bits, as `SND_CHMAP_*`: from bit 0, `AV_CH_FRONT_LEFT`, to bit
    /// 17, `AV_CH_TOP_BACK_RIGHT`.
    private static let places = [
        SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FLC,
        SND_CHMAP_FRC, SND_CHMAP_RC, SND_CHMAP_SL, SND_CHMAP_SR, SND_CHMAP_TC, SND_CHMAP_TFL, SND_CHMAP_TFC,
        SND_CHMAP_TFR, SND_CHMAP_TRL, SND_CHMAP_TRC, SND_CHMAP_TRR,
    ].map(\.rawValue)

    /// The maps assumed for a device that does not report any, at most one per channel count. Their channel order is
    /// that of alsa-lib's devices `surround40` to `surround71`.
    static let usual = [
        [SND_CHMAP_MONO],
        [SND_CHMAP_FL, SND_CHMAP_FR],
        [SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR],
        [SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC],
        [SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE],
        [
            SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_SL,
            SND_CHMAP_SR,
        ],
    ].compactMap { AlsaChannels(positions: $0.map(\.rawValue)) }

    /// `SND_CHMAP_*`, one per channel.
    let positions: [UInt32]
    /// The same channels in libavutil's order.
    let layout: ChannelLayout
    /// For each channel of the device, its index in libavutil's order; `nil` if the two orders are the same.
    let order: [Int]?

    /// Returns `nil` if `positions` is empty, libavutil has no equivalent for a channel, or a channel occurs twice.
    init?(positions: [UInt32]) {
        let bits = positions.map { position in
            Self.places.firstIndex(of: position == SND_CHMAP_MONO.rawValue ? SND_CHMAP_FC.rawValue : position)
        }
        let known = bits.compactMap(\.self)
        guard !known.isEmpty, known.count == positions.count, Set(known).count == known.count else { return nil }
        self.positions = positions
        layout = ChannelLayout(mask: known.reduce(0) { $0 | 1 << UInt64($1) })
        let sorted = known.sorted()
        let order = known.compactMap { sorted.firstIndex(of: $0) }
        self.order = order == Array(order.indices) ? nil : order
    }

    /// Reads a map that alsa-lib returned.
    @unsafe init?(_ map: UnsafePointer<snd_pcm_chmap_t>) {
        self.init(positions: unsafe (0..<map.pointee.channels).map { unsafe calsa_position(map, $0) })
    }

    /// Rates how well these channels can play audio laid out as `source`. Compare tuples; the greatest is the best. The
    /// first member is the number of source channels that have a match here (the side pair matches the back pair), the
    /// second is 1 for an identical layout, and the third is minus the number of channels, to prefer fewer unused ones.
    func fit(_ source: ChannelLayout) -> (Int, Int, Int) {
        (
            (Self.folded(layout.mask) & Self.folded(source.mask)).nonzeroBitCount,
            layout == source ? 1 : 0,
            -layout.count
        )
    }

    /// Replaces the back pair with the side pair, unless the mask already has a side channel.
    private static func folded(_ mask: UInt64) -> UInt64 {
        let back: UInt64 = 0b11_0000
        let side: UInt64 = 0b110_0000_0000
        return mask & side == 0 && mask & back == back ? mask & ~back | side : mask
    }
}
