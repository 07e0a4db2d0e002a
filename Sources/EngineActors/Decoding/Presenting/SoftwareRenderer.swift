// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Plays a session inside the engine, for video and audio sinks. To the session it is like an external renderer.
///
/// Receives `RendererCommand`s and answers with `RendererReport`s. Decodes what its sinks need and nothing more;
/// without sinks only its clock runs. Never knows who shows frames, or where a source comes from.
///
/// To drive it: create one, start `run()` in a task that the session owns, attach it to the session like any renderer,
/// and pass its reports to `PlaybackSession.take`. Sinks may be attached and detached at any time. It is over when
/// `run()` returns: after `stop`, after `end`, or when its task is cancelled. What no command carries is set directly:
/// `setLooping`, `setDuration`.
package actor SoftwareRenderer: RendererSink {
    /// Opens the source that a `load` command names.
    package typealias Opening = @Sendable (_ url: String) async throws(EngineError) -> any DecodedSource

    /// Identifies an attached sink.
    package struct SinkID: Hashable, Sendable {
        let number: UInt64
    }

    let opening: Opening
    let listener: RendererListener
    let processor = SoundProcessor()
    private nonisolated let handedOver = Locked(PicturesHandedOver())
    private let inbox = Locked(RendererInbox())
    private let bell: AsyncStream<Void>
    private let ringBell: AsyncStream<Void>.Continuation

    var machine = PresentationStateMachine()
    var source: (any DecodedSource)?
    var passes = DecodingPasses()
    /// The source to open next.
    var wantedURL: String?
    var pictures = PictureQueue()
    var outlets: [SinkID: PictureOutlet] = [:]
    var soundOutlet = SoundOutlet()
    var redrawing = Redrawing.none
    var reports = ReportKeeper()
    var alarm = Alarm()
    private(set) var isOver = false
    private var lastSinkNumber: UInt64 = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init(listener: RendererListener, opening: @escaping Opening) {
        self.listener = listener
        self.opening = opening
        (bell, ringBell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: RendererSink

    package nonisolated func receive(_ command: RendererCommand) {
        inbox.withLock { $0.add(command) }
        ringBell.yield()
    }

    package nonisolated func end(_ error: EngineError?) { ringBell.finish() }

    // MARK: Life cycle

    /// Plays until it is stopped.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beginPasses() }
            group.addTask { await self.pullPictures() }
            group.addTask { await self.pullSound() }
            group.addTask { await self.pumpSound() }
            // The stream also ends when its task is cancelled.
            for await _ in bell {
                for command in inbox.withLock({ $0.takeAll() }) { obey(command) }
                settle()
                if isOver { break }
            }
            close()
            group.cancelAll()
        }
    }

    /// How frames were handed over, since the renderer was created.
    package nonisolated var picturesHandedOver: PicturesHandedOver { handedOver.withLock { $0 } }

    func count(_ reception: Reception) { handedOver.withLock { $0.count(reception) } }

    /// Playback has failed and cannot continue.
    func fail(_ error: EngineError) {
        guard !isOver else { return }
        listener.failed(error)
        isOver = true
        ringBell.finish()
        changed()
    }

    func finishRunning() {
        isOver = true
        changed()
    }

    private func close() {
        isOver = true
        machine.stop(at: monotonicNanoseconds())
        for effect in machine.takeEffects() { carryOut(effect) }
        source?.close()
        source = nil
        alarm.cancel()
        soundOutlet.removeAll()
        for id in Array(outlets.keys) { detach(id) }
        changed()
    }

    // MARK: Waiting

    /// Suspends until something has changed.
    func nextChange() async {
        guard !isOver else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func changed() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    func nextSinkID() -> SinkID {
        lastSinkNumber += 1
        return SinkID(number: lastSinkNumber)
    }
}
