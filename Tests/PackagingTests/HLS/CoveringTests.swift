// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Covering all versions of a track")
struct CoveringTests {
    @Test(
        "the highest profile with the highest level",
        arguments: [
            (["avc1.64000D", "avc1.64001E"], "avc1.64001E"),
            (["avc1.4D401F", "avc1.64000D"], "avc1.64001F"),
            (["avc1.64000D", "avc1.42C01E"], "avc1.64001E"),
            (["hvc1.1.6.L60.90", "hvc1.2.4.L93.B0"], "hvc1.2.4.L93.B0"),
            (["hvc1.1.6.L153.90", "hvc1.1.6.H120.90"], "hvc1.1.6.H153.90"),
            (["av01.0.04M.08", "av01.0.08M.10"], "av01.0.08M.10"),
            (["vp09.00.10.08", "vp09.02.10.10"], "vp09.00.10.08"),
            (["avc1.64000D", "hvc1.2.4.L93.B0", "avc1"], "avc1.64000D"),
            (["avc1.64000D"], "avc1.64000D"), ([], ""),
        ]
    )
    func codecs(versions: [String], expected: String) {
        #expect(CodecString.covering(versions) == expected)
    }

    @Test("the largest display size, wherever it occurs", arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func size(order: [Int]) {
        let sizes = [(320, 180), (640, 360), (500, 400)]
        let tracks = order.map { place in
            var track = Track(codec: .h264, timescale: 90000)
            track.codecString = "avc1.64000D"
            var video = VideoProperties()
            (video.width, video.height) = sizes[place]
            track.video = video
            return track
        }
        let covering = tracks[0].covering(Array(tracks.dropFirst()))
        #expect(covering.video?.width == 640 && covering.video?.height == 360)
    }
}
