// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// Converts channels between libavutil and libpulse.
enum PulseChannels {
    /// libavutil's channels in the order of their mask bits, from bit 0, `AV_CH_FRONT_LEFT`, to bit 17,
    /// `AV_CH_TOP_BACK_RIGHT`.
    private static let positions: [pa_channel_position_t] = [
        PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_CENTER,
        PA_CHANNEL_POSITION_LFE, PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT,
        PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER,
        PA_CHANNEL_POSITION_REAR_CENTER, PA_CHANNEL_POSITION_SIDE_LEFT, PA_CHANNEL_POSITION_SIDE_RIGHT,
        PA_CHANNEL_POSITION_TOP_CENTER, PA_CHANNEL_POSITION_TOP_FRONT_LEFT, PA_CHANNEL_POSITION_TOP_FRONT_CENTER,
        PA_CHANNEL_POSITION_TOP_FRONT_RIGHT, PA_CHANNEL_POSITION_TOP_REAR_LEFT, PA_CHANNEL_POSITION_TOP_REAR_CENTER,
        PA_CHANNEL_POSITION_TOP_REAR_RIGHT,
    ]
    static let stereo = ChannelLayout(mask: 0b11)
    private static let center = ChannelLayout(mask: 0b100)

    /// The layout of these channels, regardless of their order; `nil` if libavutil has no equivalent.
    static func layout(_ positions: [pa_channel_position_t]) -> ChannelLayout? {
        if positions == [PA_CHANNEL_POSITION_MONO] { return center }
        var mask: UInt64 = 0
        for position in positions {
            guard let bit = Self.positions.firstIndex(of: position), mask & (1 << bit) == 0 else { return nil }
            mask |= 1 << bit
        }
        return mask == 0 ? nil : ChannelLayout(mask: mask)
    }

    /// The channels in libavutil's order.
    static func positions(_ layout: ChannelLayout) -> [pa_channel_position_t] {
        guard layout != center else { return [PA_CHANNEL_POSITION_MONO] }
        return positions.indices.filter { layout.mask & (1 << $0) != 0 }.map { positions[$0] }
    }

    static func map(_ layout: ChannelLayout) -> pa_channel_map {
        var map = pa_channel_map()
        unsafe pa_channel_map_init(&map)
        let positions = positions(layout)
        map.channels = UInt8(positions.count)
        unsafe withUnsafeMutableBytes(of: &map.map) { bytes in
            let slots = unsafe bytes.bindMemory(to: pa_channel_position_t.self)
            for (index, position) in positions.enumerated() { unsafe slots[index] = position }
        }
        return map
    }

    static func positions(_ map: pa_channel_map) -> [pa_channel_position_t] {
        var map = map
        let count = Int(map.channels)
        return unsafe withUnsafeMutableBytes(of: &map.map) { bytes in
            unsafe Array(bytes.bindMemory(to: pa_channel_position_t.self).prefix(count))
        }
    }
}
