// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension MasteringDisplay {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__MasteringDisplay> {
        let wire = unsafe arena.message(Engine__V1__MasteringDisplay.self)
        unsafe wire.pointee.red_x = UInt32(red.x)
        unsafe wire.pointee.red_y = UInt32(red.y)
        unsafe wire.pointee.green_x = UInt32(green.x)
        unsafe wire.pointee.green_y = UInt32(green.y)
        unsafe wire.pointee.blue_x = UInt32(blue.x)
        unsafe wire.pointee.blue_y = UInt32(blue.y)
        unsafe wire.pointee.white_x = UInt32(white.x)
        unsafe wire.pointee.white_y = UInt32(white.y)
        unsafe wire.pointee.max_luminance = maximumLuminance
        unsafe wire.pointee.min_luminance = minimumLuminance
        return unsafe wire
    }

    init(wire: Engine__V1__MasteringDisplay) {
        unsafe self.init(
            red: Chromaticity(x: UInt16(clamping: wire.red_x), y: UInt16(clamping: wire.red_y)),
            green: Chromaticity(x: UInt16(clamping: wire.green_x), y: UInt16(clamping: wire.green_y)),
            blue: Chromaticity(x: UInt16(clamping: wire.blue_x), y: UInt16(clamping: wire.blue_y)),
            white: Chromaticity(x: UInt16(clamping: wire.white_x), y: UInt16(clamping: wire.white_y)),
            maximumLuminance: wire.max_luminance,
            minimumLuminance: wire.min_luminance
        )
    }
}

extension ContentLight {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__ContentLight> {
        let wire = unsafe arena.message(Engine__V1__ContentLight.self)
        unsafe wire.pointee.max_cll = UInt32(maximum)
        unsafe wire.pointee.max_fall = UInt32(frameAverage)
        return unsafe wire
    }

    init(wire: Engine__V1__ContentLight) {
        unsafe self.init(maximum: UInt16(clamping: wire.max_cll), frameAverage: UInt16(clamping: wire.max_fall))
    }
}

extension DolbyVisionConfiguration {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__DolbyVisionRecord> {
        let wire = unsafe arena.message(Engine__V1__DolbyVisionRecord.self)
        unsafe wire.pointee.version_major = UInt32(clamping: versionMajor)
        unsafe wire.pointee.version_minor = UInt32(clamping: versionMinor)
        unsafe wire.pointee.profile = UInt32(clamping: profile)
        unsafe wire.pointee.level = UInt32(clamping: level)
        unsafe wire.pointee.rpu_present = hasRPU ? 1 : 0
        unsafe wire.pointee.el_present = hasEnhancementLayer ? 1 : 0
        unsafe wire.pointee.bl_present = hasBaseLayer ? 1 : 0
        unsafe wire.pointee.compatibility = UInt32(clamping: compatibility)
        return unsafe wire
    }

    init(wire: Engine__V1__DolbyVisionRecord) {
        unsafe self.init(
            versionMajor: Int(wire.version_major),
            versionMinor: Int(wire.version_minor),
            profile: Int(wire.profile),
            level: Int(wire.level),
            hasRPU: wire.rpu_present != 0,
            hasEnhancementLayer: wire.el_present != 0,
            hasBaseLayer: wire.bl_present != 0,
            compatibility: Int(wire.compatibility)
        )
    }
}
