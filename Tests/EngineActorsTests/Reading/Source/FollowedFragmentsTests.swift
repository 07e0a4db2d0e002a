// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Reading the fragments of a remote MP4", .timeLimit(.minutes(10)))
struct FollowedFragmentsTests {
    private typealias Run = FragmentedMovieBytes.Run
    private typealias Sample = FragmentedMovieBytes.Sample

    /// The properties that identify a packet.
    private struct Mark: Equatable, Sendable {
        let stream: Int
        let time: Int64?
        let decodeTime: Int64?
        let position: Int64?
        let isKey: Bool
    }

    /// 60 fragments of a second each: video with reordered pictures, followed by audio.
    ///
    /// - Parameter placed: the number of fragments that state their times; later ones do not.
    private static func film(
        hasList: Bool,
        isSigned: Bool = false,
        placed: Int = .max,
        audioDelay: Int64 = 0,
        movieSamples: UInt32 = 0
    ) -> FragmentedMovieBytes {
        let payload = [UInt8](repeating: 7, count: 30_000)
        let fragments = (0..<60).map { number -> [Run] in
            let time = number < placed ? Int64(number) * 1000 : nil
            let video = (0..<5).map {
                Sample(
                    payload,
                    lasting: 200,
                    isKey: $0 == 0,
                    offset: isSigned ? [0, 200, -200][$0 % 3] : [200, 600, 0][$0 % 3]
                )
            }
            let audio = (0..<10).map { _ in Sample([1, 2, 3], lasting: 100) }
            return [Run(track: 1, at: time, video), Run(track: 2, at: time.map { $0 + audioDelay }, audio)]
        }
        return FragmentedMovieBytes(fragments, hasList: hasList, isSigned: isSigned, movieSamples: movieSamples)
    }

    private let thread = ReadingThread()

    private func reader(_ source: ScriptedSource) throws(EngineError) -> SourceReader {
        let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: InterruptFlag())
        reader.prepareForPackets(of: [0, 1])
        return reader
    }

    private static func rest(_ reader: SourceReader, atMost count: Int = .max) throws(EngineError) -> [Mark] {
        var found: [Mark] = []
        while found.count < count, let packet = try reader.readPacket() {
            found.append(
                Mark(
                    stream: packet.streamIndex,
                    time: packet.pts,
                    decodeTime: packet.dts,
                    position: packet.position,
                    isKey: packet.isKey
                )
            )
        }
        return found
    }

    /// The number of bytes that were asked for.
    private static func requested(_ source: ScriptedSource) -> Int {
        source.requests.withLock { $0.reduce(0) { $0 + $1.count } }
    }

    @Test("Opening reads the first fragment and, for the description, the last", arguments: [true, false])
    func opening(hasList: Bool) async throws {
        let film = Self.film(hasList: hasList)
        let source = ScriptedSource(film.bytes, isRemote: true)
        let media = try await thread.run { [self] () throws(EngineError) in
            let reader = try reader(source)
            #expect(Self.requested(source) < 400 << 10, "of \(film.bytes.count) bytes")
            return MediaDescription(declaredBy: reader)
        }
        #expect(media.streams.map(\.duration) == [.seconds(60), .seconds(60)])
        #expect(Self.requested(source) < 1200 << 10, "of \(film.bytes.count) bytes")
    }

    @Test("The durations are those of the same file, read locally", arguments: [0, 80, 700])
    func durations(audioDelay: Int64) async throws {
        let film = Self.film(hasList: false, audioDelay: audioDelay)
        let found = try await thread.run { [self] () throws(EngineError) in
            try [false, true].map { isRemote throws(EngineError) in
                let reader = try reader(ScriptedSource(film.bytes, isRemote: isRemote))
                return MediaDescription(declaredBy: reader).streams.map(\.duration)
            }
        }
        #expect(found[0].allSatisfy { $0 != nil })
        #expect(found[0] == found[1])
    }

    @Test("The packets are those of the same file, read locally", arguments: [true, false])
    func packets(hasList: Bool) async throws {
        let film = Self.film(hasList: hasList)
        let found = try await thread.run { [self] () throws(EngineError) in
            [
                try Self.rest(reader(ScriptedSource(film.bytes))),
                try Self.rest(reader(ScriptedSource(film.bytes, isRemote: true))),
            ]
        }
        #expect(found[0].count == 900)
        #expect(found[0] == found[1])
    }

    @Test("After a seek, packets equal a local file's, and less than 2 MiB are read", arguments: [true, false])
    func seeks(hasList: Bool) async throws {
        let film = Self.film(hasList: hasList)
        let source = ScriptedSource(film.bytes, isRemote: true)
        try await thread.run { [self] () throws(EngineError) in
            let local = try reader(ScriptedSource(film.bytes))
            let remote = try reader(source)
            for time in [40_000, 3_000, 59_000, 20_000, 21_000, 0] as [Int64] {
                let before = Self.requested(source)
                let boundary = Keyframe(time: time + 200, seekTimestamp: time, position: 0)
                #expect(try local.enter(boundary, lead: 0, isIndexed: false))
                #expect(try remote.enter(boundary, lead: 0, isIndexed: false))
                let wanted = try Self.rest(local, atMost: 15)
                #expect(try Self.rest(remote, atMost: 15) == wanted, "at \(time)")
                #expect(Self.requested(source) - before < 2 << 20, "at \(time)")
            }
            remote.keep(only: [1])
            #expect(try remote.enter(Keyframe(time: 0, seekTimestamp: 30_000, position: 0), lead: 0, isIndexed: false))
            #expect(try Set(Self.rest(remote).map(\.stream)) == [1], "the selection of streams is kept")
        }
    }

    @Test(
        "If fragments do not state their times, the packets after a seek are those of a local file",
        arguments: [0, 30]
    )
    func unplaced(placed: Int) async throws {
        let film = Self.film(hasList: false, placed: placed)
        let found = try await thread.run { [self] () throws(EngineError) in
            try [false, true].map { isRemote throws(EngineError) in
                let reader = try reader(ScriptedSource(film.bytes, isRemote: isRemote))
                return try ([45_000, 4_000] as [Int64]).map { time throws(EngineError) in
                    _ = try reader.enter(
                        Keyframe(time: 0, seekTimestamp: time, position: 0),
                        lead: 0,
                        isIndexed: false
                    )
                    return try Self.rest(reader, atMost: 30)
                }
            }
        }
        #expect(found[0].map(\.count) == [30, 30])
        #expect(found[0] == found[1])
    }

    @Test(
        "With offsets that may be negative, or samples in the header, all fragments are listed when the file is opened"
    )
    func listed() async throws {
        for film in [Self.film(hasList: false, isSigned: true), Self.film(hasList: false, movieSamples: 1)] {
            let source = ScriptedSource(film.bytes, isRemote: true)
            let last = try #require(film.positions.last)
            try await thread.run { [self] () throws(EngineError) in _ = try reader(source) }
            #expect(source.requests.withLock { $0.contains { $0.upperBound > last } })
        }
    }

    @Test("A walk reads no payload, not even after a seek")
    func walk() async throws {
        let film = Self.film(hasList: true)
        let source = ScriptedSource(film.bytes, isRemote: true)
        let found = try await thread.run { () throws(EngineError) in
            let reader = try SourceReader(file: source, for: .walking, edits: .any, interrupt: InterruptFlag())
            reader.prepareForWalking(over: [0, 1])
            #expect(try reader.enter(Keyframe(time: 0, seekTimestamp: 20_000, position: 0), lead: 0, isIndexed: false))
            return try Self.rest(reader)
        }
        #expect(found.count == 600)
        #expect(Self.requested(source) < 2 << 20, "of \(film.bytes.count) bytes")
    }
}
