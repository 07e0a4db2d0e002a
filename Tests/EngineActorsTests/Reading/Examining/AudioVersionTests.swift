// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Versions of an audio track")
struct AudioVersionTests {
    private static func audio(at time: Int64) -> ListedAudio {
        var frame = ADTSBytes.frame(1)
        // 44.1 kHz instead of 48 kHz.
        frame[2] = 0x50
        var properties = AudioProperties()
        (properties.sampleRate, properties.channels) = (44_100, 2)
        return ListedAudio(codec: .aac, extradata: [], frame: frame, properties: properties, time: time)
    }

    @Test("another sample rate is another time base, on the same timeline, with a grid that begins at the first frame")
    func rate() throws {
        let track = PlayedTrack.fixture(.aac)
        let other = try track.changed(to: Self.audio(at: 2000))
        #expect(other.track.timescale == 44_100 && !other.track.configuration.isEmpty)
        #expect(other.track.audio?.sampleRate == 44_100 && other.stream.index == track.stream.index)
        #expect(other.timelineTicks(2000) == 88_200 && other.timelineTicks(2023) == 88_200 + 1024)
        // The format is the same, so the grid stays.
        let same = try other.changed(to: Self.audio(at: 3000))
        #expect(same.timelineTicks(3000) == 88_200 + 43 * 1024)
    }

    @Test("frames that cannot be packed are no version")
    func refusal() {
        let audio = ListedAudio(codec: CodecID(rawValue: "none"), extradata: [], frame: [1], properties: nil, time: 0)
        #expect(throws: PackagingError.self) { try PlayedTrack.fixture(.aac).changed(to: audio) }
    }
}
