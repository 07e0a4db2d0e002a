// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

/// The rules on which a front-end may rely, as a second and much simpler implementation: it only remembers the last
/// commands.
private struct Model {
    enum Life { case opening, open, failed, stopping, idle }

    var life = Life.opening
    /// Whether the last command asked the player to play. `nil`: the end of the source, or a renderer, has changed that
    /// since then.
    var isPlaying: Bool? = false
    var rate = 1.0
    var isLooping = false
    /// Seeks that have not ended yet.
    var running: Set<UInt64> = []
    var lastSeek: UInt64 = 0

    mutating func apply(_ effects: [PlayerStateMachine.Effect]) {
        for case .seek(let event) in effects {
            switch event.stage {
            case .began where event.id == lastSeek + 1:
                // Playing from the end begins a seek to the start.
                lastSeek = event.id
                running.insert(event.id)
            case .began: #expect(running.contains(event.id))
            case .stalled: #expect(running.contains(event.id))
            case .landed, .superseded, .rejected: #expect(running.remove(event.id) != nil, "\(event.id) ends once")
            }
        }
        #expect(running.count <= 1, "one seek at a time")
    }
}

@Suite("The player compared with a model", .timeLimit(.minutes(10)))
struct PlayerModelTests {
    private static let duration = MediaTime.seconds(30)

    @Test("after any sequence of commands and events the player agrees with the model", arguments: 0..<200)
    func random(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var machine = PlayerStateMachine(position: .zero)
        var model = Model()
        var now: Int64 = 0
        for step in 0..<300 {
            now += Int64.random(in: 0...1_500_000_000, using: &generator)
            let before = machine.phase.name
            apply(Int.random(in: 0..<19, using: &generator), to: &machine, &model, &generator, now)
            model.apply(machine.takeEffects())
            let after = machine.phase.name
            #expect(Self.reachable(from: before).contains(after), "\(before) to \(after) at step \(step)")
            check(machine, model, now)
        }
    }

    /// A command may pass through a phase that is never published.
    private static func reachable(from phase: Phase.Name) -> Set<Phase.Name> {
        phase.successors.union([phase]).union(phase.successors.flatMap(\.successors))
    }

    private func check(_ machine: PlayerStateMachine, _ model: Model, _ now: Int64) {
        switch model.life {
        case .opening: #expect(machine.phase == .opening)
        case .failed: #expect(machine.phase.name == .error)
        case .stopping: #expect(machine.phase == .stopping)
        case .idle: #expect(machine.phase == .idle)
        case .open: #expect(![.opening, .error, .stopping, .idle].contains(machine.phase.name))
        }
        if model.life == .opening || model.life == .open {
            if let isPlaying = model.isPlaying, machine.phase != .ended { #expect(machine.wantsToPlay == isPlaying) }
        } else {
            #expect(!machine.wantsToPlay && !machine.needsMedia)
        }
        #expect(machine.requestedRate == model.rate)
        #expect(machine.isLooping == model.isLooping)
        let place = machine.playhead(at: now)
        #expect(place >= .zero)
        if model.life == .open { #expect(place <= Self.duration) }
        #expect(machine.playhead(at: now + 1_000_000_000) >= place)
        if let arrival = machine.arrival { #expect(machine.deadline.map { $0 <= arrival } ?? false) }
    }

    private func apply(
        _ event: Int,
        to machine: inout PlayerStateMachine,
        _ model: inout Model,
        _ generator: inout SplitMix,
        _ now: Int64
    ) {
        let lives = model.life == .opening || model.life == .open
        switch event {
        case 0, 1:
            machine.play(at: now)
            if lives { model.isPlaying = true }
        case 2:
            machine.pause(at: now)
            if lives { model.isPlaying = false }
        case 3, 4, 5: seek(&machine, &model, &generator, now)
        case 6:
            let rate = Double.random(in: -1...3, using: &generator)
            #expect(machine.setRate(rate, at: now) == !(0...2).contains(rate))
            model.rate = min(max(rate, 0), 2)
        case 7:
            model.isLooping.toggle()
            machine.setLooping(model.isLooping)
        case 8, 9: open(&machine, &model, now)
        case 10:
            machine.rendererAttached(at: now)
        case 11:
            machine.rendererDetached(at: now)
        case 12:
            var report = RendererReport(
                position: .seconds(.random(in: -3...40, using: &generator)),
                rate: .random(in: 0...1, using: &generator)
            )
            report.seekID = model.lastSeek
            report.hasEnded = Int.random(in: 0..<6, using: &generator) == 0
            let isHeard = machine.hasRenderer && model.life == .open
            machine.rendererReported(report, at: now)
            if isHeard { model.isPlaying = nil }
        case 13 where Int.random(in: 0..<6, using: &generator) == 0:
            machine.failed(EngineError(.sourceUnreachable, "x"), at: now)
            if lives { model.life = .failed }
        case 14 where Int.random(in: 0..<6, using: &generator) == 0:
            machine.reopened(at: .seconds(2), settings: PlayerSettings(), at: now)
            guard model.life != .stopping else { break }
            model.life = .opening
            model.isPlaying = false
        case 15 where Int.random(in: 0..<12, using: &generator) == 0:
            machine.stopping(at: now)
            model.life = .stopping
            machine.stopped(at: now)
            model.life = .idle
        case 16, 17:
            machine.mediaAvailable(
                to: machine.playhead(at: now) + .seconds(.random(in: 0...8, using: &generator)),
                at: now
            )
        case 18:
            machine.revived(at: now)
            if model.life == .failed { model.life = .opening }
        default: machine.tick(at: now)
        }
        // At the end nothing plays, even if a command asked for it.
        if machine.phase == .ended { model.isPlaying = nil }
    }

    private func seek(
        _ machine: inout PlayerStateMachine,
        _ model: inout Model,
        _ generator: inout SplitMix,
        _ now: Int64
    ) {
        let target = MediaTime.seconds(.random(in: -10...40, using: &generator))
        let thenPlay: Bool? = [nil, true, false].randomElement(using: &generator) ?? nil
        let answer =
            machine.keep(SeekCommand(.position(target), thenPlay: thenPlay))
            ?? machine.seek(to: target, thenPlay: thenPlay, at: now)
        #expect(answer.id == model.lastSeek + 1, "numbers rise by one")
        model.lastSeek = answer.id
        model.running.insert(answer.id)
        let lives = model.life == .opening || model.life == .open
        #expect(answer.isRejected == !lives)
        if lives, let thenPlay { model.isPlaying = thenPlay }
    }

    /// Opens the source as a session does: first the duration is set, then the commands kept until then are carried
    /// out.
    private func open(_ machine: inout PlayerStateMachine, _ model: inout Model, _ now: Int64) {
        guard model.life == .opening else { return }
        machine.setDuration(Self.duration)
        let asked = machine.opened(at: now)
        model.life = .open
        if let seek = asked.seek, case .position(let place) = seek.command.target {
            _ = machine.seek(to: place, thenPlay: asked.thenPlay, as: seek.id, at: now)
        }
        if asked.thenPlay { machine.play(startingOver: false, at: now) }
    }
}
