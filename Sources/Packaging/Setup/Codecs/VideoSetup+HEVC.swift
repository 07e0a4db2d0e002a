// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoSetup {
    /// Entry `hvc1`, CODECS as defined in ISO/IEC 14496-15 Annex E.
    static func hevc(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        var configuration = HEVCConfiguration()
        if HEVCConfiguration.isRecord(evidence.extradata) {
            configuration = .declared(by: evidence.extradata)
        } else if !evidence.extradata.isEmpty {
            try configuration.collect(from: evidence.extradata, framing: .annexB)
        }
        let declared = NALFraming(codec: .hevc, extradata: evidence.extradata)
        let framing = try NALFraming.detect(evidence.firstPackets, declared: declared)
        for packet in evidence.firstPackets where !configuration.isComplete && framing.consumes(packet.span) {
            try configuration.collect(from: packet, framing: framing)
        }
        guard configuration.isComplete, let first = configuration.sequenceSets.first else {
            throw PackagingError(.missingConfiguration, "no HEVC parameter sets in codec private data or packets")
        }
        let set = try HEVCParameterSet(unit: first)

        var track = evidence.track()
        track.configuration = configuration.record(for: set)
        track.codecString = CodecString.hevc(set.profile)
        var video = evidence.video
        video.complete(width: set.width, height: set.height, display: set.display, bitDepth: set.lumaBitDepth)
        video.chromaFormat = set.chromaFormat
        video.isInterlaced = video.isInterlaced || set.isInterlaced
        track.video = video
        return TrackSetup(track: track, transform: .nalUnits(framing), reorderDepth: set.reorderPictures)
    }
}
