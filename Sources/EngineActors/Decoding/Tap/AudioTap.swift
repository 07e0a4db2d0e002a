// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Delivers a session's audio to a client that does not play it, such as a visualizer. Reads and decodes separately
/// from playback, whichever path the session plays on.
///
/// Pulled by one client, and owned by that client's call. Audio that is not pulled in time is skipped, and reported as
/// skipped; the tap queues nothing.
package actor AudioTap: PieceSource {
    /// The stream that is being read.
    struct Reading {
        let feed: PacketFeed
        let decoder: SoftwareAudioDecoder
        let url: String
        let stream: Int
        var generation: UInt64
    }

    /// Returns the source that the session plays now; `nil` while it plays none with audio.
    package typealias Finder = @Sendable () async -> (source: OpenedSource, plan: SegmentPlan)?

    /// How much audio is collected for one message.
    private static let pieceLength = MediaTime.seconds(0.1)

    private let executor = ThreadExecutor(name: "audio tap")
    private let follower: TapFollower
    private let find: Finder
    private let onEnd: @Sendable () -> Void
    private nonisolated let running = Locked<PacketFeed?>(nil)
    private nonisolated let isCancelled = Locked(false)
    private var pace: TapPace
    private var reading: Reading?
    private var mixer = TapMixer()
    private var skipped = MediaTime.zero
    private var isDiscontinuous = true

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter onEnd: called once, when the tap is cancelled.
    package init(
        _ request: AudioTapRequest,
        follower: TapFollower,
        find: @escaping Finder,
        onEnd: @escaping @Sendable () -> Void
    ) {
        pace = TapPace(request.pace)
        self.follower = follower
        self.find = find
        self.onEnd = onEnd
    }

    package nonisolated func cancel() {
        let isFirst = isCancelled.withLock { isCancelled in
            defer { isCancelled = true }
            return !isCancelled
        }
        guard isFirst else { return }
        running.withLock { $0 }?.interrupt()
        follower.changes.signal()
        onEnd()
        // The task ends when the file is closed.
        Task { await self.close() }
    }

    private func close() async {
        await reading?.feed.close()
        reading = nil
        mixer.reset()
        running.withLock { $0 = nil }
    }

    package func next() async throws(EngineError) -> TappedAudio? {
        while true {
            let seen = follower.changes.signalCount
            if isCancelled.withLock({ $0 }) || Task.isCancelled { return nil }
            let view = follower.now
            if view.isClosed || pace.isFinished { return nil }
            if let reading, reading.url != view.url || reading.stream != view.stream {
                pace.interrupted()
                await close()
            }
            guard view.stream != nil else {
                await follower.changes.wait(after: seen)
                continue
            }
            let now = monotonicNanoseconds()
            let isEntered = reading != nil
            switch pace.step(view.anchor, jumps: view.jumps, landing: view.landing, isEntered: isEntered, at: now) {
            case .wait(let moment): await follower.changes.wait(after: seen, until: moment)
            case .enter(let place, let skipped):
                guard try await enter(at: place, view, skipping: skipped) else {
                    await follower.changes.wait(after: seen)
                    continue
                }
            case .give: if let audio = try await read() { return audio }
            }
        }
    }

    // MARK: Reading

    /// - Returns: `false` when there is nothing to read yet.
    private func enter(
        at place: MediaTime,
        _ view: TapFollower.View,
        skipping: MediaTime
    ) async throws(EngineError) -> Bool {
        mixer.reset()
        skipped = skipped + skipping
        isDiscontinuous = true
        if reading == nil { try await open(view) }
        guard let old = reading else { return false }
        let generation = old.generation + 1
        reading?.generation = generation
        do throws(EngineError) {
            try await old.feed.enter(at: place, generation: generation)
        } catch {
            if error.code != .cancelled { throw error }
        }
        return true
    }

    private func open(_ view: TapFollower.View) async throws(EngineError) {
        guard let stream = view.stream, let found = await find() else { return }
        let feed = PacketFeed(.opened(found.source), video: nil, audio: stream, plan: found.plan)
        running.withLock { $0 = feed }
        if isCancelled.withLock({ $0 }) { feed.interrupt() }
        reading = Reading(
            feed: feed,
            decoder: SoftwareAudioDecoder(feed: feed),
            url: view.url,
            stream: stream,
            generation: 0
        )
    }

    /// At least a tenth of a second of continuous audio, or less before a gap and at the end. `nil` when there is none:
    /// the caller must ask `pace` for the next step.
    private func read() async throws(EngineError) -> TappedAudio? {
        var samples: [Float] = []
        var start: MediaTime?
        while let reading {
            switch try converted({ (mixer) throws(FFmpegError) in try mixer.next() }) {
            case .samples(let piece):
                start = start ?? piece.time
                samples += piece.samples
                if samples.count >= Int(Self.pieceLength.ticks(in: .hertz(Int64(TappedAudio.sampleRate)))) {
                    return self.piece(start, samples, reading.stream)
                }
            case .gap:
                let collected = piece(start, samples, reading.stream)
                isDiscontinuous = true
                start = nil
                if let collected { return collected }
            case nil:
                switch try await reading.decoder.next(generation: reading.generation) {
                // The tap may have entered the source elsewhere meanwhile.
                case .some where self.reading?.generation != reading.generation: return nil
                case .some(let audio): mixer.add(audio)
                case .superseded: return nil
                case .ended:
                    pace.ended()
                    if let rest = try converted({ (mixer) throws(FFmpegError) in try mixer.finish() }) {
                        start = start ?? rest.time
                        samples += rest.samples
                    }
                    return piece(start, samples, reading.stream)
                }
            }
        }
        return nil
    }

    private func converted<Output>(
        _ body: (inout TapMixer) throws(FFmpegError) -> Output?
    ) throws(EngineError) -> Output? {
        do throws(FFmpegError) { return try body(&mixer) } catch {
            throw EngineError(.internal, "the audio cannot be converted", cause: error.description)
        }
    }

    private func piece(_ start: MediaTime?, _ samples: [Float], _ stream: Int) -> TappedAudio? {
        guard let start, !samples.isEmpty else { return nil }
        let length = MediaTime(Int64(samples.count), in: .hertz(Int64(TappedAudio.sampleRate)))
        pace.gave(to: start + length)
        defer { (isDiscontinuous, skipped) = (false, .zero) }
        return TappedAudio(
            time: start,
            samples: samples,
            isDiscontinuous: isDiscontinuous,
            skipped: skipped,
            stream: stream
        )
    }
}
