// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

// Audio, from the decoder to the sink.
extension SoftwareRenderer {
    private static let decodedAhead = MediaTime(microseconds: 4_000_000)
    /// How much audio is prepared for the sink at once.
    private static let portion = MediaTime(microseconds: 80_000)

    /// Plays audio through `sink` from here on, until it is detached or over; then through the one that played before.
    package func attach(_ sink: any SoundSink) -> SinkID {
        let id = nextSinkID()
        let isFirst = soundOutlet.active == nil
        soundOutlet.add(sink, id)
        goOnWithSound(isNew: isFirst)
        return id
    }

    /// Plays audio through `sink` when no other is attached.
    package func attach(fallback sink: any SoundSink) -> SinkID {
        guard soundOutlet.active != nil else { return attach(sink) }
        let id = nextSinkID()
        soundOutlet.addBelow(sink, id)
        return id
    }

    func removeSound(_ id: SinkID) {
        let wasActive = soundOutlet.active?.id == id
        guard let removed = soundOutlet.remove(id) else { return }
        removed.sink.setRunning(false)
        guard wasActive else { return }
        // Releases a caller that waits in the sink.
        removed.sink.flush(to: soundOutlet.generation + 1)
        if soundOutlet.active == nil {
            // The clock continues without audio.
            machine.soundIsGone(at: monotonicNanoseconds())
            soundOutlet.flush()
            source?.narrow(to: wishes)
        } else {
            goOnWithSound(isNew: false)
        }
    }

    /// The sink is over: another takes its place, if one is attached, and watchers get a notice.
    func lose(_ id: SinkID, because reason: String) {
        guard soundOutlet.sinks.contains(where: { $0.id == id }) else { return }
        removeSound(id)
        let next = soundOutlet.active == nil ? "playback continues without audio" : "another output takes over"
        listener.notice(Notice(.warning, "sound.lost", "the audio output was lost: \(reason); \(next)"))
        settle()
    }

    /// Another track must be heard from the playhead on: what is decoded of the old one is obsolete.
    package func soundTrackChanged() {
        guard soundOutlet.active != nil else { return }
        goOnWithSound(isNew: true)
    }

    func goOnWithSound(isNew: Bool) {
        let now = monotonicNanoseconds()
        machine.sinksChanged(at: now)
        for effect in machine.takeEffects() { carryOut(effect) }
        let position = machine.playhead(at: now)
        if isNew {
            soundOutlet.reset(to: position, lap: machine.lap)
            passes.update(machine.lap) { $0.soundEnd = position }
            beginAgain()
        } else {
            soundOutlet.flush()
            soundOutlet.queue.rewind(to: position, lap: machine.lap)
        }
        settle()
    }

    func setRate(_ rate: Double, at now: Int64) {
        let before = machine.rate
        machine.setRate(rate, at: now)
        if machine.rate != before, machine.rate > 0 { giveAgain() }
    }

    func changeSound(_ change: (inout SoundOutlet) -> Void) {
        let before = soundOutlet.gain
        change(&soundOutlet)
        if soundOutlet.gain != before { giveAgain() }
    }

    /// While nothing is heard, gives the sink again what waits in it, as it must be heard when playback continues.
    /// While audio is heard, the change follows what the sink already has, without a gap.
    private func giveAgain() {
        guard let active = soundOutlet.active, active.sink.isRealTime, soundOutlet.map.count > 0 else { return }
        switch machine.state {
        case .standing, .landing: goOnWithSound(isNew: false)
        case .empty, .moving, .buffering, .ended: break
        }
    }

    // MARK: Decoding

    func pullSound() async {
        while !isOver {
            guard let source, let pass = passes.current, passes.isBegun, pass.wishes.sound, wishes.sound,
                hasRoomForSound, let lap = passes.lap(pass.lap), !lap.isSoundComplete
            else {
                await nextChange()
                continue
            }
            do throws(EngineError) {
                let supply = try await source.nextSound(pass: pass.number)
                guard passes.current == pass else { continue }
                switch supply {
                case .superseded: continue
                case .ended: passes.update(pass.lap) { $0.isSoundComplete = true }
                case .next(let sound):
                    soundOutlet.queue.append(sound)
                    let end = soundOutlet.queue.end
                    passes.update(pass.lap) { $0.soundEnd = end }
                }
                settle()
            } catch {
                if passes.current == pass { fail(error) }
            }
        }
    }

    private var hasRoomForSound: Bool {
        let position = machine.playhead(at: monotonicNanoseconds())
        return soundOutlet.queue.ahead(of: position, lap: machine.lap) < Self.decodedAhead
    }

    // MARK: Output

    func pumpSound() async {
        while !isOver {
            guard let active = soundOutlet.active, mayGiveSound(active), let format = soundOutlet.queue.format else {
                await nextChange()
                continue
            }
            padEnd()
            let entries = soundOutlet.queue.take(Self.portion)
            guard !entries.isEmpty else {
                if isComplete { await finish(active, settings(active.sink.format(for: format))) }
                await nextChange()
                continue
            }
            let settings = settings(active.sink.format(for: format))
            await give(await processor.process(entries, settings), to: active, settings.generation)
        }
    }

    private func settings(_ format: AudioFormat) -> SoundSettings {
        SoundSettings(
            format: format,
            rate: pace == nil && machine.rate > 0 ? machine.rate : 1,
            gain: soundOutlet.gain,
            generation: soundOutlet.generation
        )
    }

    private func give(_ pieces: [SoundPiece], to active: SoundOutlet.Active, _ generation: UInt64) async {
        for piece in pieces where generation == soundOutlet.generation {
            soundOutlet.map.append(
                count: piece.sound.block.count,
                sampleRate: piece.sound.format.rate,
                time: piece.sound.time,
                rate: piece.sound.rate,
                lap: piece.lap
            )
            let isAlive = await active.sink.take(piece.sound, generation: generation)
            guard generation == soundOutlet.generation else { return }
            guard isAlive else { return lose(active.id, because: "it accepts no more data") }
            soundOutlet.taken = piece.sound.end
        }
        settle()
    }

    /// A sink that keeps no time does not run ahead of the frames.
    private func mayGiveSound(_ active: SoundOutlet.Active) -> Bool {
        guard machine.state != .empty else { return false }
        guard pace != nil, let taken = soundOutlet.taken else { return true }
        guard machine.state == .moving else { return false }
        let lead = MediaTime(microseconds: 500_000)
        return taken <= machine.playhead(at: monotonicNanoseconds()) + lead || outlets.isEmpty
    }

    /// Pads the end of the audio with silence as far as there are frames, in small steps: a sink may take all it is
    /// given at once, and silence past the end would come before the next lap of a loop. The audio for a sink that
    /// keeps no time ends with the last frame, however late that is decoded.
    private func padEnd() {
        guard !soundOutlet.queue.hasMore, let pass = passes.current, pass.lap == machine.lap,
            let lap = passes.lap(pass.lap), lap.isSoundComplete
        else { return }
        let now = monotonicNanoseconds()
        let silence = MediaTime(microseconds: 50_000)
        // Late frames do not stop a clock.
        let isTimed = pace == nil
        let reached = isTimed ? max(lap.picturesEnd, machine.playhead(at: now) + silence) : lap.picturesEnd
        let known = stock(at: now).end(machine.duration) ?? reached
        soundOutlet.queue.pad(to: min(known, soundOutlet.queue.end + silence))
    }

    /// Whether all the audio that will ever be heard has been given.
    private var isComplete: Bool {
        guard !soundOutlet.isFinished, !machine.isLooping, let lap = passes.lap(machine.lap), lap.isSoundComplete
        else { return false }
        return !wishes.pictures || lap.arePicturesComplete
    }

    /// Gives what filters still hold, and marks the end.
    private func finish(_ active: SoundOutlet.Active, _ settings: SoundSettings) async {
        soundOutlet.isFinished = true
        await give(await processor.finish(settings), to: active, settings.generation)
        guard settings.generation == soundOutlet.generation else { return }
        if let end = stock(at: monotonicNanoseconds()).end(machine.duration) { soundOutlet.map.close(at: end) }
        active.sink.finish(generation: settings.generation)
        settle()
    }
}
