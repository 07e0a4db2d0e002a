// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension MasteringDisplay {
    var wire: Proto.MasteringDisplay {
        var wire = Proto.MasteringDisplay()
        wire.redX = UInt32(red.x)
        wire.redY = UInt32(red.y)
        wire.greenX = UInt32(green.x)
        wire.greenY = UInt32(green.y)
        wire.blueX = UInt32(blue.x)
        wire.blueY = UInt32(blue.y)
        wire.whiteX = UInt32(white.x)
        wire.whiteY = UInt32(white.y)
        wire.maxLuminance = maximumLuminance
        wire.minLuminance = minimumLuminance
        return wire
    }

    init(wire: Proto.MasteringDisplay) {
        self.init(
            red: Chromaticity(x: UInt16(clamping: wire.redX), y: UInt16(clamping: wire.redY)),
            green: Chromaticity(x: UInt16(clamping: wire.greenX), y: UInt16(clamping: wire.greenY)),
            blue: Chromaticity(x: UInt16(clamping: wire.blueX), y: UInt16(clamping: wire.blueY)),
            white: Chromaticity(x: UInt16(clamping: wire.whiteX), y: UInt16(clamping: wire.whiteY)),
            maximumLuminance: wire.maxLuminance,
            minimumLuminance: wire.minLuminance
        )
    }
}

extension ContentLight {
    var wire: Proto.ContentLight {
        var wire = Proto.ContentLight()
        wire.maxCll = UInt32(maximum)
        wire.maxFall = UInt32(frameAverage)
        return wire
    }

    init(wire: Proto.ContentLight) {
        self.init(maximum: UInt16(clamping: wire.maxCll), frameAverage: UInt16(clamping: wire.maxFall))
    }
}

extension DolbyVisionConfiguration {
    var wire: Proto.DolbyVisionRecord {
        var wire = Proto.DolbyVisionRecord()
        wire.versionMajor = UInt32(clamping: versionMajor)
        wire.versionMinor = UInt32(clamping: versionMinor)
        wire.profile = UInt32(clamping: profile)
        wire.level = UInt32(clamping: level)
        wire.rpuPresent = hasRPU
        wire.elPresent = hasEnhancementLayer
        wire.blPresent = hasBaseLayer
        wire.compatibility = UInt32(clamping: compatibility)
        return wire
    }

    init(wire: Proto.DolbyVisionRecord) {
        self.init(
            versionMajor: Int(wire.versionMajor),
            versionMinor: Int(wire.versionMinor),
            profile: Int(wire.profile),
            level: Int(wire.level),
            hasRPU: wire.rpuPresent,
            hasEnhancementLayer: wire.elPresent,
            hasBaseLayer: wire.blPresent,
            compatibility: Int(wire.compatibility)
        )
    }
}
