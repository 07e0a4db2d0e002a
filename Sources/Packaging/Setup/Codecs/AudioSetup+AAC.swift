// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
    /// Entry `mp4a`, CODECS `mp4a.40.N`.
    static func aac(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let packets = evidence.firstPackets.filter { !$0.isEmpty }
        let isFramed = !packets.isEmpty && packets.allSatisfy(ADTSHeader.frames)
        var bytes = evidence.extradata
        var programChannels: Int?
        if bytes.isEmpty {
            guard let first = packets.first else {
                throw PackagingError(
                    .missingConfiguration,
                    "AAC has no AudioSpecificConfig and no packet to derive it from"
                )
            }
            guard isFramed, let header = ADTSHeader(first.span) else {
                throw PackagingError(.unsupportedFeature, "AAC has no AudioSpecificConfig and is not in ADTS frames")
            }
            if header.channelConfiguration == 0 {
                let program = try ProgramConfig(rawDataBlock: ADTSHeader.payload(of: first.span))
                bytes = program.audioSpecificConfig(header)
                programChannels = program.channels
            } else {
                bytes = header.audioSpecificConfig
            }
        }
        let configuration = try AudioSpecificConfig(bytes)

        var track = evidence.track()
        track.configuration = bytes
        track.codecString = CodecString.mpeg4Audio(objectType: configuration.outerObjectType)
        var audio = evidence.audio
        audio.sampleRate = configuration.outputSampleRate
        audio.channels = configuration.channels ?? programChannels ?? max(1, audio.channels)
        track.audio = audio
        return TrackSetup(
            track: track,
            transform: isFramed ? .adts : .unchanged,
            samplesPerFrame: configuration.samplesPerFrame,
            codedSampleRate: configuration.sampleRate
        )
    }
}
