// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("What is requested together to open a title on a server")
struct TitleReadsTests {
    private static let start = SourceStart.firstBytes

    /// The reads of a title without a map or chapters.
    private static func reads(_ kind: TitleSource.Kind, megabytes: Int64, seconds: Int64) -> [Range<Int64>] {
        let source = MemorySource([], name: "it", digest: "1")
        let content = TitleSource.Content(
            kind: kind,
            pieces: [.init(source: source, range: 0..<megabytes << 20)],
            timeline: TitleTimeline([.init(position: 0, entry: 0, start: 0, duration: seconds * 90_000)]),
            map: nil,
            name: nil,
            languages: [:],
            chapters: .times([]),
            titles: [],
            notices: []
        )
        return TitleSource(MemoryDiscFiles([:]), number: 1, angle: 1, content).examinedReads
    }

    @Test("the start of a title is requested, and a sample in its middle")
    func start() {
        for kind in [TitleSource.Kind.bluRay, .dvd] {
            let reads = Self.reads(kind, megabytes: 100, seconds: 600)
            #expect(reads.count == 3 && reads[0] == Self.start[0] && reads[2] == Self.start[1])
            #expect(reads[1].contains(50 << 20) || reads[1].upperBound == 50 << 20)
        }
    }

    @Test("the higher the bit rate of a DVD, the more of its start is requested, also before the sample")
    func highRate() {
        let sample = Self.reads(.dvd, megabytes: 540, seconds: 0)[1]
        // 0.8 s of 540 MiB in 600 s, in blocks of 64 KiB.
        let end: Int64 = 12 << 16
        #expect(
            Self.reads(.dvd, megabytes: 540, seconds: 600)
                == [Self.start[0], Self.start[1], sample, Self.start[1].upperBound..<end]
        )
        // The rest of the second range, which may not be needed, is requested last.
        let reads = Self.reads(.dvd, megabytes: 300, seconds: 600)
        #expect(reads.count == 4 && reads[0] == Self.start[0])
        #expect([reads[1], reads[3]] == [Self.start[1].lowerBound..<7 << 16, 7 << 16..<Self.start[1].upperBound])
        // At most 1 MiB, even if the disc states too short a duration. If the duration is unknown, and on Blu-ray
        // discs, only the usual ranges.
        #expect(Self.reads(.dvd, megabytes: 540, seconds: 1).last?.upperBound == 1 << 20)
        #expect(Self.reads(.dvd, megabytes: 1, seconds: 1).last?.upperBound == 13 << 16)
        #expect(Self.reads(.dvd, megabytes: 540, seconds: 0).last == Self.start[1])
        #expect(Self.reads(.bluRay, megabytes: 5400, seconds: 600).last == Self.start[1])
    }
}
