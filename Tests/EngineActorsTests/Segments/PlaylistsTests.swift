// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Packaging
@testable import Reading
@testable import Segments

@Suite("Playlists of a source")
struct PlaylistsTests {
    /// BANDWIDTH for one segment of two seconds whose audio ends at `end`, and the size of the source in bits.
    ///
    /// - Parameter rates: the least bit rates of its audio tracks.
    private func bandwidth(
        audioEnd end: MediaTime,
        _ rates: [Double] = [0]
    ) throws -> (announced: Double, bits: Double) {
        var described = DescribedSource()
        described.hasAudio = true
        var source = try described.opened()
        source.tracks =
            [source.tracks[0]]
            + rates.map { rate in
                var track = source.tracks[1]
                track.leastBitRate = rate
                return track
            }
        let playlists = Playlists(
            source: source,
            plan: DescribedSource.plan(segments: 1, of: 2000),
            trackEnds: [.seconds(2)] + rates.map { _ in end },
            sealedTargetDuration: nil,
            startPosition: .zero
        )
        let text = String(decoding: playlists.master(audio: 1, delayedBy: Delays()), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.contains("BANDWIDTH=") })
        let value = try #require(line.split(separator: "BANDWIDTH=").dropFirst().first?.prefix { $0.isNumber })
        return (try #require(Double(value)), Double(source.file.byteCount) * 8)
    }

    @Test("segments of gradually refreshed video are not announced as independent, and have no I-frame playlist")
    func gradualRefresh() throws {
        func playlists(_ isGradual: Bool) throws -> Playlists {
            var plan = DescribedSource.plan(segments: 3)
            plan.hasGradualRefresh = isGradual
            return Playlists(
                source: try DescribedSource().opened(),
                plan: plan,
                trackEnds: [.seconds(30)],
                sealedTargetDuration: nil,
                startPosition: .zero
            )
        }
        for isGradual in [false, true] {
            let playlists = try playlists(isGradual)
            for bytes in [
                playlists.master(audio: nil, delayedBy: Delays()), playlists.media(track: 0, delayedBy: .zero),
            ] {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text.contains("#EXT-X-INDEPENDENT-SEGMENTS") == !isGradual)
                #expect(!isGradual || !text.contains("I-FRAME"))
            }
            #expect((playlists.keyframes() == nil) == isGradual)
        }
    }

    @Test("a growing playlist has a start offset, even if it is 0", arguments: [(0.0, "0"), (12.5, "12.500000")])
    func startOffset(position: Double, offset: String) throws {
        let playlists = Playlists(
            source: try DescribedSource().opened(),
            plan: DescribedSource.plan(segments: 3, isComplete: false),
            trackEnds: [nil],
            sealedTargetDuration: 10,
            startPosition: .seconds(position)
        )
        let line = "#EXT-X-START:TIME-OFFSET=\(offset),PRECISE=YES\n"
        let media = String(decoding: playlists.media(track: 0, delayedBy: .zero), as: UTF8.self)
        let master = String(decoding: playlists.master(audio: nil, delayedBy: Delays()), as: UTF8.self)
        #expect(media.contains(line))
        #expect(master.contains("#EXT-X-START") == (position > 0) && (position == 0 || master.contains(line)))
    }

    @Test(
        "all playlists have the longest parts' hold-back; parts of audio are independent; older segments may be skipped"
    )
    func parts() throws {
        var described = DescribedSource()
        described.hasAudio = true
        var plan = DescribedSource.plan(segments: 41, of: 2000, isComplete: false)
        (plan.partLength, plan.settled) = (400, 81_000)
        let playlists = Playlists(
            source: try described.opened(),
            plan: plan,
            trackEnds: [nil, nil],
            sealedTargetDuration: 2,
            startPosition: .zero
        )
        for (track, target) in [(0, "0.440000"), (1, "0.460000")] {
            let text = String(decoding: playlists.media(track: track, delayedBy: .zero), as: UTF8.self)
            let listed = text.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-PART:") }
            #expect(text.contains("PART-TARGET=\(target)\n") && text.contains("PART-HOLD-BACK=1.380000\n"))
            // Two segments of five parts, and two parts of the arriving segment.
            #expect(listed.count == 12)
            #expect(listed.count { $0.hasSuffix(",INDEPENDENT=YES") } == (track == 1 ? 12 : 3))
            let update = String(
                decoding: playlists.media(track: track, delayedBy: .zero, skipsOlder: true),
                as: UTF8.self
            )
            #expect(update.contains("CAN-SKIP-UNTIL=12.000000") && update.contains("SKIPPED-SEGMENTS=34\n"))
        }
        let delayed = playlists.media(track: 1, delayedBy: .seconds(0.25), skipsOlder: true)
        #expect(delayed == playlists.media(track: 1, delayedBy: .seconds(0.25)))
    }

    /// All bytes may belong to the shortest track. Bit rates are measured over at least half a target duration of that
    /// track's playlist.
    @Test(
        "the bytes of a track that ends within a segment are counted within the track's part of the segment",
        arguments: [(2.0, 2.0), (1.2, 1.2), (0.3, 0.5)]
    )
    func partial(end: Double, length: Double) throws {
        let (announced, bits) = try bandwidth(audioEnd: .seconds(end))
        #expect(abs(announced - (bits / length * 1.03 * 1.05 + 64_000)) < 2)
    }

    @Test("BANDWIDTH counts the audio track with the highest bit rate, and not the others")
    func idleAudio() throws {
        let (announced, bits) = try bandwidth(audioEnd: .seconds(2), [1000, 3000, 2000])
        #expect(abs(announced - ((bits / 2 - 3000) * 1.03 * 1.05 + 64_000)) < 4)
        // Tracks that end within the segment may not have that bit rate in all of it.
        let (least, _) = try bandwidth(audioEnd: .seconds(1.9), [1000, 3000, 2000])
        #expect(least > bits / 2)
    }
}
