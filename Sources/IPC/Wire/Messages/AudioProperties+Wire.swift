// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension AudioProperties {
    var wire: Proto.AudioProperties {
        var wire = Proto.AudioProperties()
        wire.sampleRate = UInt32(clamping: sampleRate)
        wire.channels = UInt32(clamping: channels)
        wire.channelLayout = channelLayout
        wire.bitDepth = UInt32(clamping: bitDepth)
        wire.objects = objects?.word ?? ""
        wire.isAtmos = isAtmos
        if case .dolbyAtmos(let complexity?) = objects {
            wire.atmosComplexity = UInt32(clamping: complexity)
        }
        return wire
    }

    init(wire: Proto.AudioProperties) {
        self.init()
        sampleRate = Int(wire.sampleRate)
        channels = Int(wire.channels)
        channelLayout = wire.channelLayout
        bitDepth = Int(wire.bitDepth)
        let complexity = Int(wire.atmosComplexity)
        objects = ObjectAudio(word: wire.objects, complexity: complexity == 0 ? nil : complexity)
    }
}

extension ObjectAudio {
    init?(word: String, complexity: Int?) {
        switch word {
        case "dolby_atmos": self = .dolbyAtmos(complexity: complexity)
        case "dts_x": self = .dtsX
        default: return nil
        }
    }
}
