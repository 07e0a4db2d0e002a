// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoSetup {
    /// Entry `vp09`, CODECS `vp09.PP.LL.DD`, with the colour fields if colour is specified.
    static func vp9(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        guard let first = evidence.firstPackets.first(where: { VP9FrameHeader.isKeyFrame($0.span) == true }) else {
            throw PackagingError(.missingConfiguration, "no VP9 key frame among \(evidence.firstPackets.count) packets")
        }
        let header = try VP9FrameHeader(first)
        var display = DisplayParameters()
        display.color = header.color
        var video = evidence.video
        video.complete(width: header.width, height: header.height, display: display, bitDepth: header.bitDepth)
        let configuration = VP9Configuration(header, video, extradata: evidence.extradata)
        // In the VP codec binding, subsampling 0 and 1 both mean 4:2:0.
        video.chromaFormat = max(1, configuration.chromaSubsampling)

        var track = evidence.track()
        track.configuration = configuration.record
        track.codecString = CodecString.vp9(configuration)
        track.video = video
        return TrackSetup(track: track, transform: .unchanged)
    }
}
