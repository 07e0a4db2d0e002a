// SPDX-License-Identifier: Apache-2.0

/// AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1.
struct AudioSpecificConfig: Hashable, Sendable {
    /// The core's object type: 2 for AAC-LC, even if SBR or PS is signalled.
    var objectType = 2
    /// The core's sample rate.
    var sampleRate = 0
    /// 0 if a program config element defines the channels.
    var channelConfiguration = 0
    /// The sample rate after SBR, if signalled.
    var extensionSampleRate: Int?
    var hasSpectralBandReplication = false
    var hasParametricStereo = false
    var samplesPerFrame = 1024
    /// Channels of the program config element, if it is present and readable.
    private var programChannels: Int?

    static let sampleRates = [
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]
    private static let channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]

    init(_ bytes: [UInt8]) throws(PackagingError) {
        var reader = BitReader(bytes, subject: "AudioSpecificConfig")
        objectType = try Self.objectType(&reader)
        sampleRate = try Self.sampleRate(&reader)
        channelConfiguration = try reader.int(4)
        if objectType == ObjectType.bandReplication || objectType == ObjectType.parametricStereo {
            hasSpectralBandReplication = true
            hasParametricStereo = objectType == ObjectType.parametricStereo
            extensionSampleRate = try Self.sampleRate(&reader)
            objectType = try Self.objectType(&reader)
        }
        switch objectType {
        case 1...4, 6, 7, 17, 19...22:
            samplesPerFrame = try reader.flag() ? 960 : 1024
            try readBackwardCompatibleExtension(&reader)
        case 23:
            samplesPerFrame = try reader.flag() ? 480 : 512
        case 39:
            samplesPerFrame = try reader.flag() ? 480 : 512
        case 42:
            // USAC has its own frame length index (ISO/IEC 23003-3 §5.3.2); encoders use 1024.
            samplesPerFrame = 1024
        default:
            throw PackagingError(.unsupportedFeature, "MPEG-4 audio object type \(objectType) is not supported")
        }
    }

    private enum ObjectType {
        static let bandReplication = 5
        static let parametricStereo = 29
    }

    private static func objectType(_ reader: inout BitReader) throws(PackagingError) -> Int {
        let type = try reader.int(5)
        return type == 31 ? 32 + (try reader.int(6)) : type
    }

    private static func sampleRate(_ reader: inout BitReader) throws(PackagingError) -> Int {
        let index = try reader.int(4)
        if index < sampleRates.count { return sampleRates[index] }
        guard index == 15 else {
            throw PackagingError(.malformed, "AudioSpecificConfig: invalid sampling frequency index \(index)")
        }
        let rate = try reader.int(24)
        guard rate > 0 else { throw PackagingError(.malformed, "AudioSpecificConfig: the sampling frequency is 0") }
        return rate
    }

    /// Reads the rest of GASpecificConfig (§4.4.1), then syncExtensionType 0x2B7 and 0x548, which a decoder without SBR
    /// ignores.
    private mutating func readBackwardCompatibleExtension(_ reader: inout BitReader) throws(PackagingError) {
        guard reader.remaining >= 2 + 16 else { return }
        if try reader.flag() { try reader.skip(min(14, reader.remaining)) }
        try reader.skip(1)
        if channelConfiguration == 0, !readProgramConfig(&reader) { return }
        guard !hasSpectralBandReplication, objectType == 2 else { return }
        guard reader.remaining >= 16, try reader.int(11) == 0x2B7, try reader.int(5) == ObjectType.bandReplication,
            reader.remaining >= 1, try reader.flag(), reader.remaining >= 4
        else { return }
        hasSpectralBandReplication = true
        extensionSampleRate = try Self.sampleRate(&reader)
        guard reader.remaining >= 12, try reader.int(11) == 0x548 else { return }
        hasParametricStereo = try reader.flag()
    }

    /// Returns false if the element is truncated: the channels stay unknown, and nothing after the element can be read.
    private mutating func readProgramConfig(_ reader: inout BitReader) -> Bool {
        do throws(PackagingError) {
            programChannels = try ProgramConfig(&reader).channels
            return true
        } catch {
            return false
        }
    }

    /// The object type for CODECS: PS or SBR if signalled, otherwise the core's.
    var outerObjectType: Int {
        if hasParametricStereo { return ObjectType.parametricStereo }
        return hasSpectralBandReplication ? ObjectType.bandReplication : objectType
    }

    var outputSampleRate: Int { extensionSampleRate ?? sampleRate }

    /// The number of output channels; `nil` if unknown.
    var channels: Int? {
        if channelConfiguration == 0 { return programChannels.flatMap { $0 > 0 ? $0 : nil } }
        guard channelConfiguration < Self.channelCounts.count else { return nil }
        let count = Self.channelCounts[channelConfiguration]
        if count == 1, hasParametricStereo { return 2 }
        return count > 0 ? count : nil
    }
}
