// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Versions of the video of a list")
struct VideoVersionTests {
    private static let container = ContainerFormat(name: "mpegts")

    private func version(
        _ video: ListedVideo,
        of track: PlayedTrack = .fixture(.h264, origin: TimelineOrigin(.seconds(2))),
        profile: PlayerProfile = .everything
    ) -> VideoVersions.Version {
        VideoVersions(profile: profile).version(of: track, in: video, Self.container)
    }

    @Test("video of another codec gets a version of its own on the same timeline, with a notice")
    func codec() throws {
        let first = PlayedTrack.fixture(.h264, origin: TimelineOrigin(.seconds(2)))
        let found = version(.fixture(), of: first)
        let track = try found.track.get()
        #expect(track.track.codec == .vp9 && track.track.videoEntry == .vp09 && track.stream.codec == .vp9)
        #expect(track.track.codecString.hasPrefix("vp09.") && !track.track.configuration.isEmpty)
        #expect(track.format == ListedVideo.number(ofGroup: 1) && first.format == 0)
        #expect(track.track.timescale == first.track.timescale && track.timelineTicks(2500) == 500)
        #expect(track.track.mediaTimeOffset == first.track.mediaTimeOffset && track.origin == first.origin)
        let notice = try #require(found.notice)
        #expect(notice.severity == .info && notice.code == "video.codec_changes")
        #expect(notice.message.hasPrefix("from 8.0 s on, the video of stream 0 is vp9 instead of h264"))
    }

    @Test("the length of a frame is that of the other video, and decoding begins early enough for both")
    func spacing() throws {
        let first = PlayedTrack.fixture(.h264, times: [0, 40, 80])
        let other = try version(.fixture(times: [90_000, 90_100, 90_200]), of: first).track.get()
        #expect(other.nominalDuration == 100 && other.delay >= first.delay)
        #expect(other.track.mediaTimeOffset - first.track.mediaTimeOffset == other.delay - first.delay)
    }

    @Test("video that the player does not play, or that cannot be packed, has no version, and a notice says so")
    func refusal() throws {
        var narrow = PlayerProfile.everything
        narrow.formats = ["avc1"]
        let unknown = ListedVideo.fixture(CodecID(rawValue: "mpeg2video"))
        for found in [version(.fixture(), profile: narrow), version(unknown)] {
            #expect(throws: PackagingError.self) { try found.track.get() }
            let notice = try #require(found.notice)
            #expect(notice.severity == .warning && notice.code == "video.part_not_served")
            #expect(notice.message.contains("from 8.0 s on") && notice.message.contains("up to the next discontinuity"))
        }
    }

    @Test("a version is decided once, with its codec and its notice")
    func decided() throws {
        let (versions, track) = (VideoVersions(), PlayedTrack.fixture(.h264))
        let unknown = ListedVideo.fixture(CodecID(rawValue: "mpeg2video"), group: 4)
        // What decides is the first video of a version.
        for video in [.fixture(group: 3), unknown] {
            let served = try versions.decide(3, for: track, in: video, Self.container).get()
            #expect(served.track.codec == .vp9)
        }
        for _ in 0..<2 {
            let refused = versions.decide(4, for: track, in: unknown, Self.container)
            #expect(throws: PackagingError.self) { try refused.get() }
        }
        #expect(versions.codecs.count == 1 && versions.codecs.allSatisfy { $0.hasPrefix("vp09.") })
        #expect(versions.takeNotices().map(\.code) == ["video.codec_changes", "video.part_not_served"])
        #expect(versions.takeNotices().isEmpty && versions.blank.codecs.isEmpty)
        versions.noteSearched(3)
        #expect(versions.isSearched(3) && !versions.isSearched(4))
    }
}
