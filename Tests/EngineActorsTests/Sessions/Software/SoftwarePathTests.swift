// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Decoding
@testable import Segments
@testable import Sessions

@Suite("Sessions on the software path", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct SoftwarePathTests {
    private let engine = Engine(configuration: EngineConfiguration())

    private func load(_ path: String) async throws -> (SessionState, PlaybackSession) {
        let state = try await engine.load(LoadRequest(source: path))
        return (state, try engine.find(state.id).0)
    }

    private func phase(_ state: SessionState) async throws -> Phase.Name {
        try await engine.state(of: state.id).phase.name
    }

    private func perform(_ command: Command, _ state: SessionState) async throws -> SessionState {
        try await engine.perform(CommandRequest(session: state.id, command: command)).state
    }

    @Test("a source that no player accepts opens with a timeline and a reason", arguments: SoftwareClip.allCases)
    func opening(clip: SoftwareClip) async throws {
        let (state, _) = try await load(clip.path())
        #expect(state.path == .software && state.route?.word == "software")
        let video = try #require(state.media?.streams.first { $0.kind == .video })
        #expect(video.route.word == "software" && !video.route.reason.isEmpty && video.delivery == nil)
        #expect(video.video?.width == 160 && video.video?.height == 90)
        try await eventually { try await engine.state(of: state.id).production.isPlanComplete }
        let duration = try #require(try await engine.state(of: state.id).duration)
        #expect(abs(duration.seconds - 4) < 0.15, "\(duration)")
        await engine.shutDown()
    }

    @Test("a sink that is not real-time gets every frame once, in order", arguments: SoftwareClip.allCases)
    func frames(clip: SoftwareClip) async throws {
        let (state, session) = try await load(clip.path())
        let log = FrameLog(isRealTime: false)
        _ = try await session.attach(.video(log))
        _ = try await perform(.player(.play), state)
        try await eventually { try await phase(state) == .ended }
        let last = log.generation
        let seen = log.seen.filter { $0.generation == last }
        #expect(seen.count == SoftwareClip.frameCount)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(seen.allSatisfy { abs($0.duration.seconds - 0.04) < 0.002 })
        try await eventually { try await engine.state(of: state.id).statistics.decodedFrames >= 100 }
        await engine.shutDown()
    }

    @Test("switching paths back and forth keeps position, rate, volume and looping", arguments: [false, true])
    func switching(isPlaying: Bool) async throws {
        let (state, session) = try await load(Clip.mp4.path())
        #expect(state.path == .remux)
        // Slow, so that a busy machine does not get to the end of the loop.
        _ = try await perform(.player(.setRate(0.1)), state)
        _ = try await perform(.player(.setVolume(0.25)), state)
        _ = try await perform(.player(.setLooping(true)), state)
        _ = try await perform(.player(.seek(SeekCommand(.position(.seconds(5)), thenPlay: isPlaying))), state)
        let resting: Phase.Name = isPlaying ? .playing : .paused
        try await eventually { try await phase(state) == resting }
        let log = FrameLog(isRealTime: true)
        let id = try await session.attach(.video(log))
        try await eventually { !log.seen.isEmpty }
        for path in [PlaybackPath.software, .remux, .software] {
            let before = try await engine.state(of: state.id).position.position(at: monotonicNanoseconds())
            let after = try await perform(.output(.selectPath(path)), state)
            #expect(after.path == path)
            try await eventually { try await phase(state) == resting }
            let now = try await engine.state(of: state.id)
            let place = now.position.position(at: monotonicNanoseconds())
            #expect(place >= before && place.seconds < 12)
            if !isPlaying { #expect(place == .seconds(5)) }
            #expect(now.position.requestedRate == 0.1 && now.volume == 0.25 && now.isLooping)
        }
        #expect(log.seen.allSatisfy { $0.time.seconds > 4.9 })
        await session.detach(sink: id)
        #expect(try await engine.state(of: state.id).path == .software, "it was chosen")
        #expect(try await perform(.output(.selectPath(nil)), state).path == .remux)
        await engine.shutDown()
    }

    @Test("attaching a sink moves a remuxable source to the software path, and detaching it moves it back")
    func onDemand() async throws {
        let (state, session) = try await load(Clip.matroska.path())
        let log = FrameLog(isRealTime: true)
        let id = try await session.attach(.video(log))
        #expect(try await engine.state(of: state.id).path == .software)
        try await eventually { !log.seen.isEmpty }
        // The timeline begins with the audio, before the first frame.
        #expect(try #require(log.seen.first).time < .seconds(0.04))
        await session.detach(sink: id)
        #expect(try await engine.state(of: state.id).path == .remux)
        _ = try await perform(.player(.play), state)
        try await eventually { try await phase(state) == .playing }
        await engine.shutDown()
    }

    @Test("sources that only the engine can play reject the remux path, renderers and playlist requests")
    func conflicts() async throws {
        let (state, session) = try await load(SoftwareClip.mpeg2.path())
        await #expect { _ = try await perform(.output(.selectPath(.remux)), state) } throws: {
            ($0 as? EngineError)?.code == .pathConflict
        }
        let offer = RendererOffer(session: state.id, name: "elsewhere", replaces: true)
        await #expect { _ = try await engine.attach(offer, to: DeafReceiver()) } throws: {
            ($0 as? EngineError)?.code == .pathConflict
        }
        let token = try #require(state.url.split(separator: "/").first)
        guard case .failed(let error) = await engine.resource(token: String(token), path: "master.m3u8") else {
            Issue.record("the master playlist of a source without segments was answered")
            return
        }
        #expect(error.code == .pathConflict && error.cause.contains("mpeg2video"))
        _ = session
        await engine.shutDown()
    }

    @Test("when another source is loaded into the session, its frames go to the same sink")
    func replacing() async throws {
        let (state, session) = try await load(SoftwareClip.vp8.path())
        let log = FrameLog(isRealTime: true)
        _ = try await session.attach(.video(log))
        try await eventually { !log.seen.isEmpty }
        let first = log.generation
        var request = LoadRequest(source: try SoftwareClip.mpeg2.path())
        request.session = state.id
        let next = try await engine.load(request)
        #expect(next.path == .software)
        let count = log.seen.count
        try await eventually { log.seen.count > count || log.generation != first }
        try await eventually { log.seen.count > count }
        await engine.shutDown()
    }
}

/// Ignores everything.
final class DeafReceiver: CommandReceiver {
    func receive(_ command: RendererCommand) {}
    func end(_ error: EngineError?) {}
}
