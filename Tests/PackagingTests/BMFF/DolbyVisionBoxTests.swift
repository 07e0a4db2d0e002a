// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct DolbyVisionBoxTests {
    private func track(_ entry: VideoEntry, _ codec: CodecID, _ record: DolbyVisionConfiguration) -> Track {
        var track = Track(codec: codec, timescale: 90_000)
        track.video = VideoProperties()
        track.videoEntry = entry
        track.dolbyVision = record
        return track
    }

    @Test(
        "A Dolby Vision record determines the type and bits of its box, and the brands",
        arguments: [
            (.dvh1, .hevc, 5, 6, 0, "dvcC", "0100 0a35 00", "dby1"),
            (.hvc1, .hevc, 8, 4, 4, "dvvC", "0100 1025 40", "dby1db4h"),
            (.hvc1, .hevc, 8, 9, 1, "dvvC", "0100 104d 10", "dby1db1p"),
            (.avc1, .h264, 9, 5, 2, "dvvC", "0100 122d 20", "dby1db2g"),
            (.dav1, .av1, 10, 10, 0, "dvvC", "0100 1455 00", "dby1"),
            (.av01, .av1, 10, 1, 1, "dvvC", "0100 140d 10", "dby1db1p"),
            (.hvc1, .hevc, 20, 1, 1, "dvwC", "0100 280d 10", "dby1db1p"),
        ] as [(VideoEntry, CodecID, Int, Int, Int, String, String, String)]
    )
    func record(
        _ entry: VideoEntry,
        _ codec: CodecID,
        _ profile: Int,
        _ level: Int,
        _ compatibility: Int,
        _ box: String,
        _ bytes: String,
        _ brands: String
    ) {
        let record = DolbyVisionConfiguration(profile: profile, level: level, compatibility: compatibility)
        let tree = BoxTree(bytes: InitSegment.bytes(for: track(entry, codec, record)))
        let payload = tree.payload("moov/trak/mdia/minf/stbl/stsd/\(entry.rawValue)/\(box)")
        #expect(payload == hex(bytes) + [UInt8](repeating: 0, count: 19))
        #expect(tree.payload("ftyp") == Array("iso6\0\0\0\0iso6cmfcmp41\(brands)".utf8))
    }

    @Test("Field order is written for interlaced video only", arguments: [(true, [2, 1]), (false, [2, 6])])
    func fieldOrder(_ isTopFirst: Bool, _ payload: [UInt8]) {
        var track = Track(codec: .h264, timescale: 90_000)
        var video = VideoProperties()
        (video.isInterlaced, video.isTopFieldFirst) = (true, isTopFirst)
        track.video = video
        let path = "moov/trak/mdia/minf/stbl/stsd/avc1/fiel"
        #expect(BoxTree(bytes: InitSegment.bytes(for: track)).payload(path) == payload)
        track.video?.isInterlaced = false
        #expect(BoxTree(bytes: InitSegment.bytes(for: track)).payload(path) == nil)
    }
}
