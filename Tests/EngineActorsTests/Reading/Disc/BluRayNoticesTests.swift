// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// The notices about a title of a Blu-ray disc.
struct BluRayNoticesTests {
    private static func notices(
        texts: [String] = [],
        audio: [String] = [],
        video: [Int] = [],
        isStereoscopic: Bool = false
    ) throws -> [String] {
        var item = BluRayBytes.Item()
        (item.texts, item.secondaryAudio, item.secondaryVideo) = (texts, audio, video)
        // Each item of a title lists the same streams again.
        let bytes = BluRayBytes.playlist([item, item], isStereoscopic: isStereoscopic)
        return try BluRayPlaylist(bytes).notices(of: "00001.mpls").map { "\($0.code): \($0.message)" }
    }

    @Test
    func whatIsNotPresentedIsSaid() throws {
        #expect(try Self.notices() == [])
        #expect(
            try Self.notices(texts: ["fra", "eng"]) == [
                "disc.text_subtitles: 00001.mpls has text subtitles (eng, fra), which the engine does not show: "
                    + "their clips are missing or damaged"
            ]
        )
        #expect(
            try Self.notices(audio: ["eng"], video: [0x1B00]) == [
                "disc.secondary_streams: 00001.mpls has secondary audio (eng) and picture-in-picture video, which the "
                    + "engine does not mix into the title"
            ]
        )
        #expect(
            try Self.notices(isStereoscopic: true) == [
                "disc.base_view: 00001.mpls is in 3D; the view for 2D is played"
            ]
        )
    }
}
