// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The packets of a bridged segment")
struct AudioCollectorTests {
    private static let base = TimeBase.hertz(48_000)
    private static let frame: Int64 = 1024

    /// A track of frames of 1024 samples at 48 kHz, bridged to frames of the same length.
    ///
    /// - Parameter first: the first time of the part of a list for which the bridge is opened. `nil`: the bridge is
    ///   that of the whole track.
    private func track(_ timing: PlayedTrack.Timing = .presentation, from first: Int64? = nil) -> PlayedTrack {
        let format = AudioFormat(samples: .planarFloat, rate: 48_000, layout: ChannelLayout(mask: 3))
        return PlayedTrack(
            stream: StreamInfo(
                index: 0,
                identifier: 0,
                codec: .aac,
                kind: .audio,
                timeBase: Self.base,
                extradata: [],
                initialPadding: 0,
                frameLength: 1024,
                startTime: 0,
                duration: nil,
                width: 0,
                height: 0
            ),
            kind: .audio,
            isServed: true,
            timing: timing,
            track: Track(codec: .aac, timescale: 48_000),
            transform: .unchanged,
            origin: 0,
            lead: 0,
            delay: 0,
            nominalDuration: Self.frame,
            grid: AudioGrid(
                source: Self.base,
                sampleRate: 48_000,
                origin: 0,
                firstTime: first ?? 0,
                frameLength: Self.frame,
                isBounded: first == nil
            ),
            bridge: BridgePlan(
                input: AudioBridgeInput(parameters: CodecParameters(), format: format, packetTicks: Self.frame),
                canvas: format,
                encoding: AudioEncoding(
                    settings: AudioEncoder.Settings(codec: .aac, format: format, bitRate: 128_000),
                    frameLength: Self.frame,
                    delay: 0,
                    leadingFrames: 0
                ),
                placement: SamplePlacement(timeBase: Self.base, origin: 0, rate: 48_000),
                preroll: .zero,
                firstTime: first ?? 0,
                firstSample: first ?? 0
            ),
            videoBridge: nil,
            language: "",
            name: "",
            isDefault: true,
            bitRate: 0,
            companion: nil,
            format: first == nil ? 0 : 1
        )
    }

    @Test(
        "a bridge for a part of a list begins with the first frame of that part",
        arguments: [nil, 11_500] as [Int64?]
    )
    func part(first: Int64?) throws {
        let time = 10 * Self.frame
        let boundaries = [0, time].map { Keyframe(time: $0, seekTimestamp: $0, position: $0) }
        let plan = SegmentPlan(timeBase: Self.base, boundaries: boundaries, end: 3 * time, origin: .index)
        let cut = try #require(SegmentCut(index: 1, of: plan, trackEnds: [nil]))
        let collector = try #require(AudioCollector(cut, track(from: first), lead: track()))
        #expect(collector.job.start == first ?? time)
    }

    /// The collector of one of three segments of ten frames each; the last segment has no known end. In the file,
    /// frames are 100 bytes apart.
    private func collector(_ segment: Int, _ timing: PlayedTrack.Timing = .presentation) throws -> AudioCollector {
        let boundaries = (0..<3).map { (segment: Int64) in
            let time = segment * 10 * Self.frame
            return Keyframe(time: time, seekTimestamp: time, position: segment * 1000)
        }
        let plan = SegmentPlan(timeBase: Self.base, boundaries: boundaries, end: 30 * Self.frame, origin: .index)
        let cut = try #require(SegmentCut(index: segment, of: plan, trackEnds: [nil]))
        return try #require(AudioCollector(cut, track(timing), lead: track(timing)))
    }

    private func packet(_ number: Int64, isTimed: Bool = true) -> Packet {
        let time = isTimed ? number * Self.frame : nil
        return Packet([1], stream: 0, pts: time, duration: Self.frame, position: number * 100)
    }

    /// Adds frames in order until the segment is complete.
    ///
    /// - Returns: the numbers of the frames that were taken, of the first frame that the next segment needs, and of the
    ///   frame that completed the segment.
    private func collect(
        _ numbers: Range<Int64>,
        into collector: inout AudioCollector,
        trackEnd: Int64? = nil,
        isTimed: Bool = true
    ) -> (taken: [Int64], isForNext: Int64?, last: Int64?) {
        var (next, last): (Int64?, Int64?) = (nil, nil)
        for number in numbers where last == nil {
            let step = collector.add(packet(number, isTimed: isTimed), isContiguous: true, end: trackEnd)
            if step.isForNext, next == nil { next = number }
            if step.isComplete { last = number }
        }
        return (collector.job.packets.map { ($0.packet.position ?? 0) / 100 }, next, last)
    }

    @Test("a segment takes its packets, one before them, and those that the encoder needs for its look-ahead")
    func window() throws {
        var first = try collector(0)
        let start = collect(0..<30, into: &first)
        #expect(start.taken == Array(0..<15))
        #expect(start.isForNext == 9)
        #expect(start.last == 15)
        #expect(first.job.start == 0)
        #expect(first.job.end == 10 * Self.frame)
        var second = try collector(1)
        let middle = collect(5..<40, into: &second)
        #expect(middle.taken == Array(9..<25))
        #expect(middle.isForNext == 19)
        #expect(middle.last == 25)
        #expect(second.job.isContinued)
    }

    @Test("the last segment takes all packets from the one before its start on, and never reports that it is complete")
    func last() throws {
        var collector = try collector(2)
        let found = collect(15..<60, into: &collector)
        #expect(found.taken == Array(19..<60))
        #expect(found.last == nil)
        #expect(collector.job.end == nil)
        #expect(!collector.job.isContinued)
    }

    @Test("a track that ends within the segment is not waited for")
    func trackEnd() throws {
        var collector = try collector(1)
        let found = collect(9..<40, into: &collector, trackEnd: 13 * Self.frame)
        #expect(found.taken == Array(9..<13))
        #expect(found.last == 12)
        #expect(!collector.job.isContinued)
    }

    @Test(
        "reading began too late if the first packet is later than the first one that the segment needs",
        arguments: 8...12 as ClosedRange<Int64>
    )
    func tooLate(first: Int64) throws {
        var collector = try collector(1)
        let step = collector.add(packet(first), isContiguous: false, end: nil)
        #expect(step.isTooLate == (first > 9))
        var contiguous = try self.collector(1)
        let next = contiguous.add(packet(first), isContiguous: true, end: nil)
        #expect(!next.isTooLate)
    }

    @Test("packets without a time are counted from the boundaries in an elementary stream")
    func counted() throws {
        var collector = try collector(1, .counted)
        let found = collect(0..<40, into: &collector, isTimed: false)
        #expect(found.taken == Array(9..<25))
        #expect(found.isForNext == 10)
        #expect(found.last == 25)
        var late = try self.collector(1, .counted)
        let step = late.add(packet(1, isTimed: false), isContiguous: false, end: nil)
        #expect(step.isTooLate)
    }
}
