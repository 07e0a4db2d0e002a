// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension AudioProperties {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__AudioProperties> {
        let wire = unsafe arena.message(Engine__V1__AudioProperties.self)
        unsafe wire.pointee.sample_rate = UInt32(clamping: sampleRate)
        unsafe wire.pointee.channels = UInt32(clamping: channels)
        unsafe wire.pointee.channel_layout = arena.string(channelLayout)
        unsafe wire.pointee.bit_depth = UInt32(clamping: bitDepth)
        unsafe wire.pointee.objects = arena.string(objects?.word ?? "")
        unsafe wire.pointee.is_atmos = isAtmos ? 1 : 0
        if case .dolbyAtmos(let complexity?) = objects {
            unsafe wire.pointee.atmos_complexity = UInt32(clamping: complexity)
        }
        return unsafe wire
    }

    init(wire: Engine__V1__AudioProperties) {
        self.init()
        sampleRate = Int(unsafe wire.sample_rate)
        channels = Int(unsafe wire.channels)
        channelLayout = unsafe text(wire.channel_layout)
        bitDepth = Int(unsafe wire.bit_depth)
        let complexity = Int(unsafe wire.atmos_complexity)
        objects = ObjectAudio(word: unsafe text(wire.objects), complexity: complexity == 0 ? nil : complexity)
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
