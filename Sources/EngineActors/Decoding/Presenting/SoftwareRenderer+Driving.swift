// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

// Commands go in, reports come out; the state machine decides in between.
extension SoftwareRenderer {
    /// Whether the end leads back to the start, without a gap. Looping playback never ends by itself.
    package func setLooping(_ isLooping: Bool) {
        machine.isLooping = isLooping
        if !isLooping { forgetNextLap() }
        settle()
    }

    /// Sets the duration of the session. `nil` while it is not known.
    package func setDuration(_ duration: MediaTime?) {
        machine.duration = duration
        settle()
    }

    func obey(_ command: RendererCommand) {
        let now = monotonicNanoseconds()
        if pace == nil { machine.listen(soundOutlet.place(at: now), at: now) }
        switch command.action {
        case .load(let url, let position):
            wantedURL = url
            source?.close()
            source = nil
            machine.load(at: position, now: now)
        case .play: machine.play(at: now)
        case .pause: machine.pause(at: now)
        case .seek(let id, let position): machine.seek(id, to: position, at: now)
        case .rate(let rate): setRate(rate, at: now)
        case .volume(let volume): changeSound { $0.volume = volume }
        case .muted(let isMuted): changeSound { $0.isMuted = isMuted }
        case .stop: finishRunning()
        }
        reports.lastCommand = command.number
        carryOutEffects()
    }

    /// Advances the state machine after any change, and acts on the result.
    func settle() {
        guard !isOver else { return }
        let now = monotonicNanoseconds()
        machine.advance(stock(at: now), heard: soundOutlet.place(at: now), at: now)
        carryOutEffects()
        let position = machine.playhead(at: now)
        passes.trim(to: machine.lap)
        pictures.trim(to: position, lap: machine.lap)
        soundOutlet.queue.trim(to: position, lap: machine.lap)
        beginNextLap(at: now)
        tellAnchor()
        tellAwaited()
        if let report = reports.report(report(at: now), at: now) { listener.report(report) }
        arm(at: now)
        changed()
        if noteRedrawn(at: now) { redraw() }
    }

    /// Reports to each video sink whether others wait for it.
    private func tellAwaited() {
        let isAwaited = machine.wantsToPlay && outlets.count + (soundOutlet.active == nil ? 0 : 1) > 1
        for (id, outlet) in outlets where outlet.isAwaited != isAwaited {
            outlets[id]?.isAwaited = isAwaited
            outlet.sink.setAwaited(isAwaited)
        }
    }

    private func carryOutEffects() {
        for effect in machine.takeEffects() { carryOut(effect) }
    }

    func carryOut(_ effect: PresentationStateMachine.Effect) {
        switch effect {
        case .begin(let position): beginAnew(at: position)
        case .runSound(let isRunning): soundOutlet.active?.sink.setRunning(isRunning)
        case .nextLap: flushPictures()
        }
    }

    /// The current state, as an external renderer would report it.
    private func report(at now: Int64) -> RendererReport {
        let position = machine.position(at: now)
        var report = RendererReport(position: position, rate: 0)
        switch machine.state {
        case .empty, .standing: break
        case .moving:
            report.rate = pace == nil ? machine.movingRate : 1
            // The sink runs but nothing is heard yet, or a loop waits for its start.
            report.isBuffering = report.rate == 0
        case .landing: report.isBuffering = machine.wantsToPlay && machine.rate > 0
        case .buffering: report.isBuffering = true
        case .ended: report.hasEnded = true
        }
        report.seekID = machine.landedSeek
        report.buffered = bufferedRanges(from: position)
        return report
    }

    private func bufferedRanges(from position: MediaTime) -> [MediaTimeRange] {
        guard let lap = passes.lap(machine.lap), !wishes.isEmpty else { return [] }
        let ends = (wishes.pictures ? [lap.picturesEnd] : []) + (wishes.sound ? [lap.soundEnd] : [])
        guard let end = ends.min(), end > position else { return [] }
        return [MediaTimeRange(start: position, end: end)]
    }

    // MARK: Time

    /// Sets an alarm for the moment at which time alone changes something.
    private func arm(at now: Int64) {
        guard let moment = nextMoment(after: now) else { return }
        alarm.set(to: moment, now: now) { [weak self] in await self?.wake() }
    }

    private func wake() {
        alarm.reset()
        settle()
    }

    private func nextMoment(after now: Int64) -> Int64? {
        guard machine.state == .moving else { return nil }
        var moment = reports.deadline ?? (now + 1_000_000_000)
        if soundOutlet.active != nil, pace == nil {
            let wait = soundOutlet.wait(at: now) ?? 1
            moment = min(moment, now + (machine.movingRate == 0 ? 5_000_000 : 40_000_000))
            moment = min(moment, now + Int64(min(wait, 1) * 1_000_000_000) + 100_000)
        }
        guard machine.movingRate > 0 else { return moment }
        let position = machine.playhead(at: now)
        let changes = [pictures.nextChange(after: position, lap: machine.lap), stock(at: now).end(machine.duration)]
        for change in changes.compactMap(\.self) where change > position {
            let wait = (change - position).seconds / machine.movingRate
            moment = min(moment, now + Int64(min(wait, 1) * 1_000_000_000) + 1000)
        }
        return max(moment, now + 500_000)
    }

    // MARK: Stock

    /// How far sinks that keep no time have come. `nil`: all sinks keep time.
    var pace: MediaTime? {
        let paced = outlets.values.filter { !$0.sink.isRealTime }
        let hearsPaced = soundOutlet.active.map { !$0.sink.isRealTime || !paced.isEmpty } ?? false
        guard hearsPaced || !paced.isEmpty else { return nil }
        let position = machine.playhead(at: monotonicNanoseconds())
        let lap = passes.lap(machine.lap)
        // Sinks that have everything wait for nothing more.
        var times = paced.filter(isWaiting).map { max($0.taken ?? position, position) }
        if hearsPaced, !(lap?.isSoundComplete ?? false) || soundOutlet.queue.hasMore || isSilenceMissing {
            times.append(max(soundOutlet.taken ?? position, position))
        }
        return times.min() ?? max(position, lap?.picturesEnd ?? .zero, lap?.soundEnd ?? .zero)
    }

    /// Whether frames continue past the end of the audio, which has not been padded with silence yet.
    private var isSilenceMissing: Bool {
        guard wishes.pictures, passes.current?.lap == machine.lap, let lap = passes.lap(machine.lap) else {
            return false
        }
        return soundOutlet.queue.end + PresentationStateMachine.slack < lap.picturesEnd
    }

    private func isWaiting(_ outlet: PictureOutlet) -> Bool {
        let areAllDecoded = passes.lap(machine.lap)?.arePicturesComplete ?? false
        return !areAllDecoded || pictures.next(after: outlet.lastNumber, lap: machine.lap) != nil
    }

    func stock(at now: Int64) -> PresentationStateMachine.Stock {
        var stock = PresentationStateMachine.Stock()
        let (position, number) = (machine.playhead(at: now), machine.lap)
        guard let lap = passes.lap(number) else { return stock }
        let wishes = wishes
        // Video or audio that the source does not have must not hold up the clock.
        if wishes.pictures, !lap.arePicturesComplete || lap.hasPictures {
            stock.pictures = .init(
                isReady: pictures.contains(lap: number),
                end: lap.picturesEnd,
                isComplete: lap.arePicturesComplete,
                lastArrival: lap.lastPictureAt
            )
        }
        if wishes.sound, !lap.isSoundComplete || soundOutlet.queue.format != nil {
            stock.sound = .init(
                ahead: soundOutlet.queue.ahead(of: position, lap: number),
                end: lap.soundEnd,
                isComplete: lap.isSoundComplete
            )
        }
        stock.isNextLapReady = isReady(lap: number + 1)
        // Where nothing is decoded at all, sinks at their own pace have taken all of it.
        let isNothing = stock.pictures == nil && stock.sound == nil
        stock.taken = pace.map { isNothing ? machine.duration ?? $0 : $0 }
        return stock
    }

    private func isReady(lap number: UInt64) -> Bool {
        let wishes = wishes
        guard !wishes.isEmpty else { return true }
        guard let lap = passes.lap(number) else { return false }
        let picturesAreReady = !wishes.pictures || pictures.contains(lap: number) || lap.arePicturesComplete
        let soundIsReady = !wishes.sound || lap.soundEnd > .zero || lap.isSoundComplete
        return picturesAreReady && soundIsReady
    }
}
