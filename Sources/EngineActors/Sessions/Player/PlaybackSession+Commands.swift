// SPDX-License-Identifier: Apache-2.0

internal import Decoding
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

// Commands from clients.
extension PlaybackSession {
    /// The result of a command.
    package struct Outcome: Hashable, Sendable {
        /// An argument was out of range and was clamped.
        package var isClamped = false
        /// The id of the seek that the command requested, as `SeekEvent.id`.
        package var seek: UInt64?
        /// The ids of the subtitle tracks that the command added.
        package var addedSubtitles: [Int] = []
        /// The id of the filter that the command added.
        package var addedFilter: Int?
    }

    package func perform(_ command: PlayerCommand) async -> Outcome {
        let effect: ClockEffect =
            switch command {
            case .play, .pause, .setVolume, .setMuted: .continues
            case .seek, .setRate, .setLooping, .skipChapter: .restarts
            }
        return await steer(effect) { await self.apply(command, at: $0) }
    }

    /// - Throws: errors of subtitle files.
    package func perform(_ command: TrackCommand) async throws(EngineError) -> Outcome {
        switch command {
        case .selectAudio(let selection):
            return await steer(.restarts) { now in
                await self.select(selection, at: now)
                return Outcome()
            }
        case .selectSubtitles(let selection):
            return await steer(.continues) { _ in
                self.select(selection)
                return Outcome()
            }
        case .addSubtitles(let sidecar): return Outcome(addedSubtitles: try await add(sidecar))
        case .removeSubtitles(let track):
            try await removeSidecar(ofTrack: track)
            return Outcome()
        }
    }

    /// - Throws: errors of paths and audio outputs.
    package func perform(_ command: OutputCommand) async throws(EngineError) -> Outcome {
        switch command {
        case .selectPath(let path): try await select(path)
        case .setSoundOutput(let output): try await setAudioOutput(output)
        }
        return Outcome()
    }

    /// - Throws: errors of filters.
    package func perform(_ command: FilterCommand) async throws(EngineError) -> Outcome {
        let outcome = try await apply(command)
        return Outcome(isClamped: outcome.isClamped, addedFilter: outcome.addedFilter)
    }

    private func steer(_ effect: ClockEffect, _ apply: (Int64) async -> Outcome) async -> Outcome {
        await inherit()
        let now = monotonicNanoseconds()
        let wished = player.machine.wantsToPlay
        player.machine.tick(at: now)
        let outcome = await apply(now)
        change {
            publishEffects()
            if player.machine.wantsToPlay != wished { sendToRenderer(player.machine.wantsToPlay ? .play : .pause) }
            adoptAvailableMedia()
            return effect
        }
        return outcome
    }

    /// Carries out the commands that arrived while the source was being opened.
    func perform(_ asked: PlayerStateMachine.Opening) {
        let now = monotonicNanoseconds()
        if let seek = asked.seek {
            _ = player.machine.seek(to: target(of: seek.command, at: now), as: seek.id, at: now)
        }
        if asked.thenPlay { player.machine.play(at: now) }
    }

    private func apply(_ command: PlayerCommand, at now: Int64) async -> Outcome {
        switch command {
        case .play: return Outcome(seek: player.machine.play(at: now))
        case .pause: player.machine.pause(at: now)
        case .seek(let seek): return apply(seek, at: now)
        case .setRate(let rate):
            let before = player.machine.requestedRate
            let isClamped = player.machine.setRate(rate, at: now)
            if player.machine.requestedRate != before { sendToRenderer(.rate(player.machine.requestedRate)) }
            return Outcome(isClamped: isClamped)
        case .setVolume(let volume):
            let clamped = min(max(volume, 0), 1)
            if player.controls.volume != clamped { sendToRenderer(.volume(clamped)) }
            player.setVolume(clamped)
            return Outcome(isClamped: clamped != volume)
        case .setMuted(let isMuted):
            if player.controls.isMuted != isMuted { sendToRenderer(.muted(isMuted)) }
            player.setMuted(isMuted)
        case .setLooping(let isLooping):
            player.machine.setLooping(isLooping)
            await outputs.software?.renderer.setLooping(isLooping)
        case .skipChapter(let step):
            guard let target = media.opened?.chapters.target(step, from: player.machine.playhead(at: now)) else {
                break
            }
            return Outcome(seek: player.machine.seek(to: target, at: now).id)
        }
        return Outcome()
    }

    private func apply(_ seek: SeekCommand, at now: Int64) -> Outcome {
        if let answer = player.machine.keep(seek) { return Outcome(isClamped: answer.isClamped, seek: answer.id) }
        let wanted = place(of: seek.target, at: now)
        let answer = player.machine.seek(to: target(of: seek, at: now), thenPlay: seek.thenPlay, at: now)
        let isOutside = wanted < .zero || duration.map { wanted > $0 } ?? false
        return Outcome(isClamped: answer.isClamped || isOutside, seek: answer.id)
    }

    private var lastPlace: MediaTime { duration ?? endTime(ofSegment: (media.opened?.plan.segmentCount ?? 0) - 1) }

    private func place(of target: SeekCommand.Target, at now: Int64) -> MediaTime {
        switch target {
        case .position(let position): position
        case .relative(let distance): player.machine.playhead(at: now) + distance
        case .begin: .zero
        case .end: lastPlace
        }
    }

    /// The target position of a seek. It may lie outside the timeline.
    private func target(of seek: SeekCommand, at now: Int64) -> MediaTime {
        let place = place(of: seek.target, at: now)
        switch seek.mode {
        case .exact: return place
        case .keyframe:
            let inside = min(max(place, .zero), lastPlace)
            return media.opened?.keyframe(atOrBefore: inside) ?? inside
        }
    }

    /// Selects the audio track. The master playlist then names it as the default, and its segments are made from the
    /// playhead on. On the software path the renderer switches to it.
    func select(_ selection: AudioSelection, at now: Int64) async {
        if let notice = media.select(selection) { hub.notice(id, notice) }
        guard let media = media.opened, let stream = media.audio.stream else { return }
        hub.update(id) { state in
            state.selectedAudio = stream
            state.route = state.media?.route(playing: stream)
        }
        if let software = outputs.software {
            software.film?.select(audio: stream)
            return await software.renderer.soundTrackChanged()
        }
        guard let place = media.audio.servedPlace else { return }
        await media.producer.prefer(track: place, from: segment(at: player.machine.playhead(at: now)))
    }

    /// Skips the waiting state when media is already available at the playhead.
    func adoptAvailableMedia() {
        guard player.machine.needsMedia, let media = media.opened else { return }
        let now = monotonicNanoseconds()
        guard let available = media.available(around: player.machine.playhead(at: now)) else { return }
        player.machine.mediaAvailable(to: available.end, at: now)
    }
}
