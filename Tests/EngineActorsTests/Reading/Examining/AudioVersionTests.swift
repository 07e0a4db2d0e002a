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

    @Test("audio at another rate has a time base of its own, on the same timeline, and a grid from its first frame on")
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

    @Test("there is no version for frames that cannot be packed")
    func refusal() {
        let audio = ListedAudio(codec: CodecID(rawValue: "none"), extradata: [], frame: [1], properties: nil, time: 0)
        #expect(throws: PackagingError.self) { try PlayedTrack.fixture(.aac).changed(to: audio) }
    }

    @Test("audio that can be neither remuxed nor encoded is not served, and one notice says so")
    func loss() {
        let track = PlayedTrack.fixture(.aac)
        let audio = ListedAudio(codec: .ac3, extradata: [], frame: [1], properties: nil, time: 8000)
        let versions = AudioVersions(profile: .chromium)
        #expect(versions.track(0, in: audio.number) == nil)
        for _ in 0..<2 { versions.decide(0, of: [track], in: audio, canBridge: true) }
        #expect(versions.track(0, in: audio.number)?.format == PlayedTrack.silence)
        let notices = versions.takeNotices()
        #expect(notices.map(\.code) == ["audio.part_not_served"] && versions.takeNotices().isEmpty)
        #expect(notices.first?.message.hasPrefix("from 8.0 s on, the audio of stream 0 is ac3") == true)
    }

    @Test("audio at another rate in the same codec gets a version of its own, without a notice")
    func version() {
        let track = PlayedTrack.fixture(.aac)
        let version = AudioVersions().version(0, of: [track], in: Self.audio(at: 2000), canBridge: true)
        #expect(version.track.track.timescale == 44_100 && version.track.bridge == nil && version.notice == nil)
        #expect(version.track.track.codecString == "mp4a.40.2")
    }

    @Test("audio in another codec that the player accepts gets a version of its own, with a notice")
    func codec() throws {
        let track = PlayedTrack.fixture(.flac)
        let version = AudioVersions().version(0, of: [track], in: Self.audio(at: 2000), canBridge: true)
        #expect(version.track.track.codec == .aac && version.track.stream.codec == .flac)
        let notice = try #require(version.notice)
        #expect(notice.severity == .info && notice.code == "audio.codec_changes")
        #expect(notice.message.contains("is aac instead of flac") && notice.message.hasSuffix("mp4a.40.2"))
    }

    /// Formats of AAC, numbered from 1.
    private static func formats(_ count: Int) -> [ListedAudio] {
        let audio = ListAudio()
        for group in 1...count { audio.note([0: Self.audio(at: 2000)], in: group, of: 0) }
        return (1...count).compactMap { audio.audio(numbered: $0) }
    }

    @Test("when more versions were decided on than are kept, an early one can be decided on again")
    func many() {
        let tracks = [PlayedTrack](repeating: .fixture(.flac), count: 5)
        let versions = AudioVersions()
        let formats = Self.formats(420)
        for format in formats {
            for place in tracks.indices { versions.decide(place, of: tracks, in: format, canBridge: true) }
        }
        #expect(versions.track(0, in: 1) == nil && versions.track(4, in: 420)?.format == 420)
        versions.decide(0, of: tracks, in: formats[0], canBridge: true)
        #expect(versions.track(0, in: 1)?.format == 1)
        #expect(versions.codecs(of: 0) == ["mp4a.40.2"] && versions.codecs(of: 5) == [])
    }

    @Test("a version of the leading list whose formats were searched for is remembered")
    func searched() {
        let versions = AudioVersions()
        versions.noteSearched(3)
        #expect(versions.isSearched(3) && !versions.isSearched(2))
    }
}
