// SPDX-License-Identifier: Apache-2.0

internal import CAlsa

/// Where the channels of a device are, in the device's order (`snd_pcm_chmap_t`).
struct AlsaChannels: Hashable, Sendable {
    /// The channels of libavutil, in the order of their bits, as alsa-lib names them: from bit 0, `AV_CH_FRONT_LEFT`, to bit
    /// 17, `AV_CH_TOP_BACK_RIGHT`.
    private static let places = [
        SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FLC,
        SND_CHMAP_FRC, SND_CHMAP_RC, SND_CHMAP_SL, SND_CHMAP_SR, SND_CHMAP_TC, SND_CHMAP_TFL, SND_CHMAP_TFC,
        SND_CHMAP_TFR, SND_CHMAP_TRL, SND_CHMAP_TRC, SND_CHMAP_TRR,
    ].map(\.rawValue)

    /// What a device that does not say where its channels are has, by their number: the order of alsa-lib's own devices
    /// `surround40` to `surround71`.
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

    /// `SND_CHMAP_*`, one a channel.
    let positions: [UInt32]
    /// The same channels in libavutil's order.
    let layout: ChannelLayout
    /// Which channel in libavutil's order each of the device's is; `nil` where the orders are the same.
    let order: [Int]?

    /// `nil` where libavutil has no such channels, or one is there twice.
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

    /// As alsa-lib tells them.
    @unsafe init?(_ map: UnsafePointer<snd_pcm_chmap_t>) {
        self.init(positions: unsafe (0..<map.pointee.channels).map { unsafe calsa_position(map, $0) })
    }

    /// How well sound of these channels is heard here, the more the better: first how many of the channels have a place, those
    /// at the side and at the back being as good as each other; then whether they are the very same; then how few are left over.
    func fit(_ source: ChannelLayout) -> (Int, Int, Int) {
        (
            (Self.folded(layout.mask) & Self.folded(source.mask)).nonzeroBitCount,
            layout == source ? 1 : 0,
            -layout.count
        )
    }

    /// The two at the back taken for those at the side, unless there are both.
    private static func folded(_ mask: UInt64) -> UInt64 {
        let back: UInt64 = 0b11_0000
        let side: UInt64 = 0b110_0000_0000
        return mask & side == 0 && mask & back == back ? mask & ~back | side : mask
    }
}
