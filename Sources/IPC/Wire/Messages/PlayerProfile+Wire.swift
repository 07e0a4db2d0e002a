// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension PlayerProfile {
    /// Decodes a custom profile sent by a client.
    init(wire: Proto.PlayerProfile) throws(EngineError) {
        let formats = wire.formats
        let depths = wire.bitDepths.map { depth in
            (depth.format, Int(depth.bits))
        }
        self.init(
            name: Self.customName,
            formats: Set(formats),
            dolbyVision: Set(wire.dolbyVision),
            bitDepths: Dictionary(depths, uniquingKeysWith: { _, last in last }),
            takesFullChroma: wire.fullChroma,
            takesInterlaced: !wire.progressiveOnly
        )
        if wire.maxChannels > 0 { maximumChannels = Int(wire.maxChannels) }
        let stereo = wire.stereoBridges
        let surround = wire.surroundBridges
        if !stereo.isEmpty { stereoBridges = stereo.map(CodecID.init(rawValue:)) }
        if !surround.isEmpty { surroundBridges = surround.map(CodecID.init(rawValue:)) }
        if !wire.videoBridges.isEmpty { videoBridges = wire.videoBridges.map(CodecID.init(rawValue:)) }
        try requireKnown()
    }

    var wire: Proto.PlayerProfile {
        var wire = Proto.PlayerProfile()
        let formats = formats.sorted()
        let dolbyVision = dolbyVision.sorted()
        let depths = bitDepths.sorted { $0.key < $1.key }
        wire.formats = formats
        wire.dolbyVision = dolbyVision
        wire.bitDepths = depths.map { depth in
            var wire = Proto.BitDepth()
            wire.format = depth.key
            wire.bits = UInt32(clamping: depth.value)
            return wire
        }
        wire.fullChroma = takesFullChroma
        wire.progressiveOnly = !takesInterlaced
        wire.maxChannels = UInt32(clamping: maximumChannels)
        wire.stereoBridges = stereoBridges.map(\.rawValue)
        wire.surroundBridges = surroundBridges.map(\.rawValue)
        wire.videoBridges = videoBridges.map(\.rawValue)
        return wire
    }
}
