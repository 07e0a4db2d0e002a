// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Subtitles
import Testing

@testable import Sessions

@Suite("The journal file", .timeLimit(.minutes(10)))
struct JournalJSONTests {
    private func record() throws -> SessionRecord {
        var request = LoadRequest(source: "/films/a \"film\".mkv")
        request.startPosition = .seconds(3)
        request.http.headers = [try HTTPHeader(name: "X-One", value: "1")]
        request.http.connection.credentials = .basic(user: "who", password: "secret")
        request.http.connection.stallTimeout = .milliseconds(1500)
        request.options.requestedSegmentTarget = .seconds(2)
        request.options.audio = .languages(["de", "en"])
        request.options.timeouts = [.buffering: .seconds(5), .seeking: .zero]
        request.options.rateRange = 0.5...4
        (request.options.dvrWindow, request.options.dvrByteCount) = (.seconds(60), 64 << 20)
        request.options.chase = .speed
        request.options.bridgeMode = .lossless
        (request.options.videoBridge, request.options.videoBridgeCodec) = (.always, .av1)
        (request.options.videoBridgeLines, request.options.measuredBridgeLines) = (720, 540)
        request.options.usesHardwareEncoder = true
        request.options.ladder = [720, 360]
        request.options.burnedSubtitles = .number(3)
        request.options.drawsSubtitles = true
        request.options.hasLowLatency = true
        request.options.sound.isNightMode = true
        (request.options.sound.dialogueLift, request.options.sound.loudnessTarget) = (4.5, -23)
        request.options.soundLevels = [1: -19.25, 3: -.infinity]
        request.options.hasDolbyVision = false
        request.options.profile = try PlayerProfile.named("apple")
        request.options.profile.videoBridges = [.av1, .h264]
        var record = SessionRecord(
            id: SessionID(rawValue: "7"),
            token: String(repeating: "a", count: 40),
            request: request
        )
        record.position = .seconds(61.5)
        record.rate = 1.5
        record.volume = 0.25
        record.isMuted = true
        record.isLooping = true
        record.loopPoints = LoopPoints(start: .seconds(1), end: .seconds(2))
        record.delays = Delays(audio: .seconds(-0.25), subtitles: .seconds(1.5))
        record.isPlaying = true
        record.revision = 99
        record.announcedSegments = 12
        record.sealedTargetDuration = 5
        record.recordingPath = "/films/kept.mp4"
        record.sourceVersion = SourceVersion(byteCount: 1 << 40, mark: "\"tag\"")
        record.path = .software
        record.treatment = try treatment()
        var sidecar = Sidecar(path: "https://example.org/a.srt")
        (sidecar.charset, sidecar.language, sidecar.title, sidecar.isShown) = ("CP1251", "ru", "Title", true)
        sidecar.httpHeaders = [try HTTPHeader(name: "Cookie", value: "a=b")]
        record.sidecars = [
            SidecarRecord(sidecar: sidecar, tracks: 100_003..<100_005), SidecarRecord(sidecar: Sidecar(path: "/a.srt")),
        ]
        return record
    }

    /// Of three filters, the first and the last were removed again. Their IDs are not reused.
    private func treatment() throws -> PictureTreatment {
        var treatment = PictureTreatment()
        var change = AdjustmentChange()
        (change.brightness, change.contrast, change.saturation, change.gamma) = (0.1, 1.2, 1.3, 1.4)
        let commands: [FilterCommand] = [
            .adjust(change), .add(PictureFilter("hflip")),
            .add(PictureFilter("crop", [.init("w", "64"), .init("h", "48")])),
            .add(PictureFilter("vflip")), .remove(filter: 1), .remove(filter: 3),
            .put(Overlay(name: "a", svg: "<svg/>", rectangle: .init(x: 0.1, y: 0.2, width: 0.3, height: 0.4), z: 2)),
            .put(Overlay(name: "b", .ass(ASSDrawing("{\\p1}m 0 0 l 9 0 9 9{\\p0}", width: 64, height: 48)))),
        ]
        for command in commands { _ = try treatment.apply(command) }
        return treatment
    }

    private func reread(_ record: SessionRecord) throws -> SessionRecord {
        let file = JournalJSON(httpPort: 1, sessions: [JournalJSON.Entry(record)])
        let again = try JSONDecoder().decode(JournalJSON.self, from: JSONEncoder().encode(file))
        #expect(again == file)
        let (records, invalid) = again.records
        #expect(invalid.isEmpty)
        return try #require(records.first)
    }

    @Test("Writing and reading a record gives the same record, for every resting phase and kind of selection")
    func roundTrip() throws {
        for subtitles in [SubtitleSelection.automatic, .none, .tracks([3, 100_000]), .languages(["de"])] {
            for deinterlacing in Deinterlacing.allCases {
                var record = try record()
                record.request.options.subtitles = subtitles
                record.request.options.deinterlacing = deinterlacing
                record.request.options.preservesScripts = deinterlacing == .off
                record.request.options.findsSubtitles = [.frame: nil, .field: true, .off: false][deinterlacing] ?? nil
                record.request.options.variants =
                    [
                        .frame: .init(), .field: .init(.index(2), maxHeight: 720),
                        .off: .init(.name("HD"), maxBandwidth: 9),
                    ][deinterlacing] ?? .init(.bandwidth(800_000))
                record.sidecars[0].foundBeneath = deinterlacing == .off ? "/films" : nil
                #expect(try reread(record) == record)
            }
        }
        for rest in SessionRecord.RestingPhase.allCases {
            for audio in [nil, AudioSelection.automatic, .stream(3), .languages(["fr"])] {
                var record = try record()
                record.rest = rest
                record.audio = audio
                #expect(try reread(record) == record)
            }
        }
    }

    @Test("Numbers that no engine writes are clamped or dropped")
    func hostileNumbers() throws {
        for extreme in [Int64.min, .max] {
            var entry = JournalJSON.Entry(try record())
            (entry.startPosition, entry.position, entry.rate) = (extreme, extreme, Double(extreme))
            (entry.volume, entry.revision) = (Double(extreme), extreme < 0 ? 0 : .max)
            (entry.announcedSegments, entry.sealedTargetDuration) = (Int(extreme), Int(extreme))
            entry.options.segmentTarget = extreme
            (entry.options.dvrWindow, entry.options.dvrByteCount) = (extreme, extreme)
            entry.options.timeouts = [
                .init(phase: "buffering", microseconds: extreme), .init(phase: "x", microseconds: 1),
            ]
            entry.options.rateRange = [Double(extreme), Double(extreme)]
            (entry.options.videoBridgeLines, entry.options.measuredBridgeLines) = (Int(extreme), Int(extreme))
            entry.rest = "x"
            entry.pictures?.overlays[0].rectangle = [1]
            entry.sidecars?[0].firstTrack = Int(extreme)
            entry.sidecars?[1].firstTrack = 99_999
            entry.sidecars?[1].trackCount = 1
            let (record, invalid) = entry.restored
            #expect(invalid.contains { $0.field == "overlay.rectangle" })
            let positions = MediaTime.zero...MediaTime(microseconds: 1 << 53)
            #expect(positions.contains(record.position) && positions.contains(record.request.startPosition))
            #expect(PlayerSettings.rates.contains(record.rate) && (0...1).contains(record.volume))
            #expect(record.nextRevision < 1 << 62)
            #expect(record.announcedSegments >= 0)
            #expect((1...86_400).contains(try #require(record.sealedTargetDuration)))
            #expect(LoadOptions.segmentTargets.contains(record.request.options.segmentTarget))
            #expect(LoadOptions.dvrWindows.contains(try #require(record.request.options.dvrWindow)))
            #expect(LoadOptions.dvrByteCounts.contains(try #require(record.request.options.dvrByteCount)))
            let timeout = try #require(record.request.options.timeouts[.buffering])
            #expect(timeout >= .zero && timeout <= PlayerSettings.longestTimeout)
            #expect(record.request.options.timeouts.count == 1 && record.request.options.rateRange == nil)
            #expect(record.request.options.videoBridgeLines == nil && record.request.options.measuredBridgeLines == nil)
            #expect(record.rest == .ready)
            #expect(record.treatment.overlays.map(\.name) == ["a"], "the other one has a rectangle of one number")
            #expect(record.sidecars.allSatisfy { $0.tracks == nil })
        }
    }
}
