// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading

@Suite("The duration that follows from the streams")
struct StreamExtentTests {
    private typealias Stream = (kind: StreamKind, start: Double?, duration: Double?)

    private static func duration(_ streams: [Stream]) -> Double? {
        var extent = StreamExtent()
        for stream in streams {
            extent.add(
                stream.kind,
                from: stream.start.map { .seconds($0) },
                lasting: stream.duration.map { .seconds($0) }
            )
        }
        return extent.duration?.seconds
    }

    @Test("It reaches from the earliest start to the latest end, and is not shorter than the longest stream")
    func media() {
        #expect(Self.duration([(.video, 0, 60), (.audio, 0, 59)]) == 60)
        #expect(Self.duration([(.video, 1, 60), (.audio, 2, 60)]) == 61)
        #expect(Self.duration([(.video, 3, 60), (.audio, nil, 70)]) == 70)
        #expect(Self.duration([(.video, 3, 60), (.audio, 1, nil)]) == 62)
        #expect(Self.duration([(.video, nil, 60)]) == 60)
        #expect(Self.duration([(.video, 5, nil)]) == nil)
        #expect(Self.duration([]) == nil)
    }

    @Test("Subtitles and data extend it by less than a second")
    func secondary() {
        #expect(Self.duration([(.video, 2, 60), (.subtitle, 1.5, 60)]) == 60.5)
        #expect(Self.duration([(.video, 2, 60), (.data, 2, 60.5)]) == 60.5)
        #expect(Self.duration([(.video, 2, 60), (.subtitle, 0, 2)]) == 60)
        #expect(Self.duration([(.video, 2, 60), (.subtitle, 2, 62)]) == 60)
        #expect(Self.duration([(.subtitle, 2, 62)]) == 62)
    }
}
