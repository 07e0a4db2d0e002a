// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing
import Validation

/// Playlists written by Dolby's own packagers, for the same streams.
@Suite struct DolbyVisionPlaylistTests {
    private static let profile84 = """
        AVERAGE-BANDWIDTH=1923345,BANDWIDTH=2596247,VIDEO-RANGE=HLG,CODECS="hvc1.2.4.L90.b0",\
        SUPPLEMENTAL-CODECS="dvh1.08.01/db4h",RESOLUTION=854x480,FRAME-RATE=24.000
        """
    private static let profile101 = """
        AVERAGE-BANDWIDTH=1172653,BANDWIDTH=2789156,VIDEO-RANGE=PQ,CODECS="av01.0.31M.10.0.111.09.16.09.0",\
        SUPPLEMENTAL-CODECS="dav1.10.01/db1p",RESOLUTION=854x480,FRAME-RATE=25.000
        """

    @Test(
        "Our playlist has every attribute of a published one",
        arguments: [
            (.hevc, "hvc1.2.4.L90.B0", 8, 4, 18, 24, profile84),
            (.av1, "av01.0.31M.10.0.111.09.16.09.0", 10, 1, 16, 25, profile101),
        ] as [(CodecID, String, Int, Int, Int, Int, String)]
    )
    func published(
        _ codec: CodecID,
        _ string: String,
        _ profile: Int,
        _ compatibility: Int,
        _ transfer: Int,
        _ rate: Int,
        _ published: String
    ) throws {
        let wanted = PlaylistAttributes(published[...]).values
        var track = Track(codec: codec, timescale: 90_000)
        track.codecString = string
        var video = VideoProperties()
        (video.width, video.height, video.bitDepth) = (854, 480, 10)
        video.frameRate = Ratio(rate, 1)
        video.color = ColorDescription(primaries: 9, transfer: transfer, matrix: 9)
        video.dolbyVision = DolbyVisionConfiguration(profile: profile, level: 1, compatibility: compatibility)
        track.video = video
        let route = VideoRoute(track: track, profile: .everything, hasDolbyVision: true, canConvert: false)
        var playlist = MasterPlaylist()
        playlist.video = TrackSetup(track: track, transform: .unchanged).routed(route).track
        playlist.videoURI = "video.m3u8"
        playlist.bandwidth = UInt64(wanted["BANDWIDTH"] ?? "") ?? 0
        playlist.averageBandwidth = UInt64(wanted["AVERAGE-BANDWIDTH"] ?? "")
        let lines = String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
        let ours = PlaylistAttributes(line.dropFirst("#EXT-X-STREAM-INF:".count)).values
        for (name, value) in wanted { #expect(ours[name]?.lowercased() == value.lowercased(), "\(name)") }
        #expect(Set(ours.keys).subtracting(wanted.keys) == ["CLOSED-CAPTIONS"])
    }

    @Test("Captions embedded in the video form a group of their own, without a URI")
    func captions() {
        var track = Track(codec: .h264, timescale: 90_000)
        track.codecString = "avc1.640028"
        track.video = VideoProperties()
        track.video?.captionChannels = ["CC1", "SERVICE1"]
        var playlist = MasterPlaylist()
        playlist.video = track
        playlist.videoURI = "video.m3u8"
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(
            text.contains(
                """
                #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="CC1",DEFAULT=NO,AUTOSELECT=YES,\
                INSTREAM-ID="CC1"
                #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="SERVICE1",DEFAULT=NO,AUTOSELECT=NO,\
                INSTREAM-ID="SERVICE1"

                """
            )
        )
        #expect(text.contains("CLOSED-CAPTIONS=\"captions\""))
    }
}
