// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension PlayerProfile {
    /// Decodes a custom profile sent by a client.
    init(wire: Engine__V1__PlayerProfile) throws(EngineError) {
        let formats = unsafe texts(wire.formats, wire.n_formats)
        let depths = try unsafe values(wire.bit_depths, wire.n_bit_depths) { depth throws(EngineError) in
            (unsafe text(depth.format), unsafe Int(depth.bits))
        }
        self.init(
            name: Self.customName,
            formats: Set(formats),
            dolbyVision: Set(unsafe texts(wire.dolby_vision, wire.n_dolby_vision)),
            bitDepths: Dictionary(depths, uniquingKeysWith: { _, last in last }),
            takesFullChroma: unsafe wire.full_chroma != 0,
            takesInterlaced: unsafe wire.progressive_only == 0
        )
        if unsafe wire.max_channels > 0 { maximumChannels = Int(unsafe wire.max_channels) }
        let stereo = unsafe texts(wire.stereo_bridges, wire.n_stereo_bridges)
        let surround = unsafe texts(wire.surround_bridges, wire.n_surround_bridges)
        if !stereo.isEmpty { stereoBridges = stereo.map(CodecID.init(rawValue:)) }
        if !surround.isEmpty { surroundBridges = surround.map(CodecID.init(rawValue:)) }
        try requireKnown()
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__PlayerProfile> {
        let wire = unsafe arena.message(Engine__V1__PlayerProfile.self)
        let formats = formats.sorted()
        let dolbyVision = dolbyVision.sorted()
        let depths = bitDepths.sorted { $0.key < $1.key }
        unsafe wire.pointee.n_formats = formats.count
        unsafe wire.pointee.formats = arena.array(formats) { unsafe .some(arena.string($0)) }
        unsafe wire.pointee.n_dolby_vision = dolbyVision.count
        unsafe wire.pointee.dolby_vision = arena.array(dolbyVision) { unsafe .some(arena.string($0)) }
        unsafe wire.pointee.n_bit_depths = depths.count
        unsafe wire.pointee.bit_depths = arena.array(depths) { depth in
            let wire = unsafe arena.message(Engine__V1__BitDepth.self)
            unsafe wire.pointee.format = arena.string(depth.key)
            unsafe wire.pointee.bits = UInt32(clamping: depth.value)
            return unsafe .some(wire)
        }
        unsafe wire.pointee.full_chroma = takesFullChroma ? 1 : 0
        unsafe wire.pointee.progressive_only = takesInterlaced ? 0 : 1
        unsafe wire.pointee.max_channels = UInt32(clamping: maximumChannels)
        unsafe wire.pointee.n_stereo_bridges = stereoBridges.count
        unsafe wire.pointee.stereo_bridges = arena.array(stereoBridges) { unsafe .some(arena.string($0.rawValue)) }
        unsafe wire.pointee.n_surround_bridges = surroundBridges.count
        unsafe wire.pointee.surround_bridges = arena.array(surroundBridges) { unsafe .some(arena.string($0.rawValue)) }
        return unsafe wire
    }
}
