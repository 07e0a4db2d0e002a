// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoSetup {
    /// Entry `avc1`, CODECS `avc1.PPCCLL` (RFC 6381 §3.3).
    static func h264(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        var configuration = AVCConfiguration()
        if evidence.extradata.first == 1 {
            configuration = .declared(by: evidence.extradata)
        } else if !evidence.extradata.isEmpty {
            try configuration.collect(from: evidence.extradata, framing: .annexB)
        }
        let declared = NALFraming(codec: .h264, extradata: evidence.extradata)
        let framing = try NALFraming.detect(evidence.firstPackets, declared: declared)
        if !configuration.isComplete {
            for packet in evidence.firstPackets where framing.consumes(packet.span) {
                try configuration.collect(from: packet, framing: framing)
                if configuration.isComplete { break }
            }
        }
        guard configuration.isComplete, let first = configuration.sequenceSets.first else {
            throw PackagingError(.missingConfiguration, "no H.264 parameter sets in codec private data or packets")
        }
        let set = try H264ParameterSet(unit: first)

        var track = evidence.track()
        track.configuration = configuration.record(for: set)
        track.codecString = CodecString.h264(profile: set.profile, constraints: set.constraints, level: set.level)
        var video = evidence.video
        video.complete(width: set.width, height: set.height, display: set.display, bitDepth: set.lumaBitDepth)
        video.chromaFormat = set.chromaFormat
        let fields = H264Fields(
            packets: evidence.firstPackets,
            framing: framing,
            set: set,
            pictureSets: configuration.pictureSets
        )
        video.isInterlaced = video.isInterlaced || fields.isInterlaced
        // Muxers disagree on the meaning of their codes for interleaved fields; the times in the pictures are reliable.
        video.isTopFieldFirst = fields.isTopFirst ?? video.isTopFieldFirst
        track.video = video
        return TrackSetup(track: track, transform: .nalUnits(framing), reorderDepth: set.reorderDepth)
    }
}
