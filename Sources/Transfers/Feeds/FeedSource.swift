// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// A source that is pushed to the engine, over a pipe or in datagrams. All readers share the bytes that are kept: a
/// head, and a window that follows the playing reader. If that reader is far behind, the sender of a pipe has to wait,
/// whereas new datagrams replace the oldest bytes.
///
/// Thread-safety: safe. Reads block the calling thread.
package final class FeedSource: Sendable {
    /// Lengths of silences, in nanoseconds.
    private enum Silence {
        /// A silence of this length is reported.
        static let quiet: Int64 = 3_000_000_000
        /// A source that has delivered nothing yet fails after this silence.
        static let first: Int64 = 10_000_000_000
        /// Any other source fails after this silence.
        static let last: Int64 = 60_000_000_000
    }

    private struct State {
        var window: ForwardWindow
        var readers = SourceReaders()
        var lastID: UInt64 = 0
        var failure: EngineError?
        /// When the last byte arrived, or the source was opened.
        var arrival = monotonicNanoseconds()
        var isSilent = false
        var received: Int64 = 0
        var bytesRead: Int64 = 0
    }

    package let path: String
    private let state: Locked<State>
    private let storage: SourceStorage
    private let intake: LiveReception
    private let observers = WaitObservers()
    private let descriptor: FeedDescriptor
    /// Whether the sender waits for the readers.
    private let canWait: Bool
    private let room = WakeSignal()

    /// - Parameters:
    ///   - path: the address, for messages.
    ///   - canWait: whether the sender waits while the engine receives nothing.
    ///   - unpacking: takes the bytes out of each datagram; `nil` if a datagram consists only of bytes of the stream.
    package init(
        _ path: String,
        _ descriptor: FeedDescriptor,
        canWait: Bool,
        windowByteLimit: Int,
        spool: SpoolSettings? = nil,
        intake: @escaping @Sendable () -> any StreamIntake,
        unpacking: (any FeedUnpacking)? = nil
    ) {
        self.path = path
        self.descriptor = descriptor
        self.canWait = canWait
        let limits = ForwardWindow.Limits(byteCount: windowByteLimit)
        state = Locked(State(window: ForwardWindow(limits)))
        storage = SourceStorage(limits, spool)
        self.intake = LiveReception(intake)
        self.intake.begin(ResourceState())
        let thread = FeedThread(descriptor, unpacking)
        let receiver = Receiver(self)
        // The task ends when the source is released, which interrupts the descriptor.
        Task { [room] in await thread.run(receiver, room) }
    }

    deinit {
        descriptor.interrupt()
        room.call()
        storage.forget()
    }

    /// A weak reference to the source, for the receiving thread.
    fileprivate final class Receiver: Sendable {
        private weak let source: FeedSource?

        init(_ source: FeedSource) { self.source = source }

        /// - Returns: whether more bytes are wanted.
        func take(_ bytes: [UInt8]) -> Bool { source?.take(bytes) ?? false }

        /// Whether there is room for more.
        var hasRoom: Bool { source?.hasRoom ?? true }

        /// - Parameter error: why the descriptor cannot be read any more; `nil` if the stream has ended.
        func end(_ error: Errno?) { source?.end(error) }
    }

    private func take(_ bytes: [UInt8]) -> Bool {
        let new = bytes.lend { intake.take($0) } ?? []
        append(new, of: bytes.count)
        if intake.reception.hasEnded { endGrowth() }
        return state.withLock { !$0.window.isEnded }
    }

    private var hasRoom: Bool { !canWait || state.withLock { $0.window.takesMore() || $0.window.isEnded } }

    private func append(_ new: [UInt8], of count: Int) {
        let start = state.withLock { $0.window.newest }
        if !new.isEmpty { storage.write(new, at: start) }
        let isLive = intake.canContinue
        if isLive { storage.spool?.received(to: start + Int64(new.count)) }
        state.withLock { state in
            if isLive { state.window.becomeLive() }
            state.received += Int64(count)
            state.arrival = monotonicNanoseconds()
            state.window.received(start..<start + Int64(new.count))
            state.readers.wake(waitingIn: start..<start + Int64(new.count))
        }
        report(isSilent: false)
    }

    private func report(isSilent: Bool) {
        let isChange = state.withLock { state in
            defer { state.isSilent = isSilent }
            return state.isSilent != isSilent
        }
        if isChange { observers.notify(isSilent ? .waits(.silent) : .resumed) }
    }

    /// Call this when a reader has waited and nothing has arrived.
    ///
    /// - Throws: `sourceUnreachable` if nothing has arrived for too long.
    private func checkSilence() throws(EngineError) {
        let (silence, hasBegun) = state.withLock { [canWait] state in
            // A sender that has to wait for readers is not silent.
            if canWait, !state.window.takesMore() { state.arrival = monotonicNanoseconds() }
            return (monotonicNanoseconds() - state.arrival, state.window.newest > 0)
        }
        guard silence >= Silence.quiet else { return }
        report(isSilent: true)
        guard silence >= (hasBegun ? Silence.last : Silence.first) else { return }
        throw EngineError(.sourceUnreachable, "nothing has arrived at \(path) for \(silence / 1_000_000_000) s")
    }

    private func end(_ error: Errno?) {
        append(intake.disconnected(), of: 0)
        state.withLock { state in
            if let error {
                state.failure = EngineError(.sourceReadFailed, "\(path) could not be read", cause: "\(error)")
            }
            state.window.ended()
            state.readers.wakeAll()
        }
    }

    private final class Cursor: ByteCursor {
        private let source: FeedSource
        private let wake = WakeSignal()
        private let flag: InterruptFlag
        private let id: UInt64
        private let isFollower: Bool

        init(_ source: FeedSource, _ flag: InterruptFlag, isFollower: Bool) {
            self.source = source
            self.flag = flag
            self.isFollower = isFollower
            id = source.state.withLock { [wake] state in
                state.lastID += 1
                state.readers.add(state.lastID, wake, isFollower: isFollower)
                return state.lastID
            }
            flag.add(wake)
        }

        deinit {
            flag.remove(wake)
            source.state.withLock { [id] in $0.readers.remove(id) }
        }

        var byteCount: Int64 { source.byteCount }
        var isGrowing: Bool { source.growth != nil }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0 else { return 0 }
            assert(isBlockingThread, "a source was read on a thread that must not block")
            while output.freeCapacity > 0 {
                if flag.isUp { throw EngineError(.cancelled, "reading \(source.path) was interrupted") }
                let count = source.storage.read(at: offset, into: &output)
                if count > 0 {
                    source.moved(id, to: offset + Int64(count), count, isFollower)
                    return count
                }
                switch source.wait(id, for: offset, isFollower) {
                case .failure(let error): throw error
                case .success(.ended): return 0
                case .success(.arrived): continue
                case .success(.waiting):
                    wake.wait(atMost: Silence.quiet)
                    try source.checkSilence()
                }
            }
            return 0
        }
    }

    private enum Wait { case arrived, waiting, ended }

    private func moved(_ reader: UInt64, to position: Int64, _ count: Int, _ isFollower: Bool) {
        state.withLock { state in
            state.readers.hasRead(reader)
            state.bytesRead += Int64(count)
            state.window.reached(position, isFollower: isFollower)
        }
        room.call()
    }

    private func wait(_ reader: UInt64, for offset: Int64, _ isFollower: Bool) -> Result<Wait, EngineError> {
        let result: Result<Wait, EngineError> = state.withLock { [storage] state in
            if offset < state.window.newest {
                // Bytes are stored before `newest` includes them, so the storage must be looked up after `newest` was
                // read.
                if storage.held.firstHeld(in: offset..<offset + 1) != nil { return .success(.arrived) }
                return .failure(
                    EngineError(
                        .sourceNotReadable,
                        "\(path) can only be read forward",
                        cause: "byte \(offset) of \(state.window.newest) is not kept any more"
                    )
                )
            }
            if let failure = state.failure { return .failure(failure) }
            if state.window.isEnded { return .success(.ended) }
            state.window.reached(offset, isFollower: isFollower)
            state.readers.wait(reader, for: offset..<offset + 1)
            return .success(.waiting)
        }
        room.call()
        return result
    }
}

extension FeedSource: ByteSource {
    package var byteCount: Int64 { state.withLock { $0.window.newest } }
    package var growth: SourceGrowth? {
        state.withLock { $0.window.isEnded ? nil : SourceGrowth(expectedByteCount: nil, becomesWhole: false) }
    }
    package var oldest: Int64 { storage.oldest(in: state.withLock(\.window)) }
    package var slides: Bool { state.withLock(\.window.slides) }

    package var window: StreamWindow? {
        let window = state.withLock(\.window)
        return window.isLive ? storage.streamWindow(window) : nil
    }

    package var live: LiveProgress? {
        state.withLock { state in
            guard state.window.slides, !state.window.isEnded else { return nil }
            return LiveProgress(isStalled: state.isSilent)
        }
    }

    package func slide(to start: Int64, keeping kept: Int64) {
        state.withLock { $0.window.slide(to: start) }
        storage.spool?.drop(before: kept)
    }

    package func holdBack() { state.withLock { $0.window.holdBack() } }

    package var bytesRead: UInt64 { UInt64(state.withLock(\.bytesRead)) }
    package var isRemote: Bool { false }
    package var arrivesByItself: Bool { true }
    package var isUsable: Bool { state.withLock { $0.failure == nil } }
    package var identity: SourceIdentity { .resource(url: path, byteCount: 0, tag: nil) }
    package var reception: StreamReception { intake.reception }

    package var traffic: SourceTraffic {
        var traffic = SourceTraffic()
        traffic.byteCount = UInt64(state.withLock(\.received))
        traffic.add(intake.reception)
        return traffic
    }

    package func waits() -> AsyncStream<SourceDelivery> { observers.stream() }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt, isFollower: false) }

    package func follower(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt, isFollower: true) }

    package func endGrowth() {
        state.withLock { state in
            state.window.ended()
            state.readers.wakeAll()
        }
        descriptor.interrupt()
        room.call()
    }

    package func require(stream: Int) { if intake.require(stream: stream) { endGrowth() } }

    package func verify() throws(EngineError) {}
}

/// Takes the bytes of a stream out of the datagrams that carry it.
package protocol FeedUnpacking: Sendable {
    /// - Returns: the bytes that can be passed on now, in order.
    mutating func take(_ datagram: [UInt8]) -> [UInt8]
}

/// Receives bytes on a descriptor and passes them on. Keeps no bytes.
private actor FeedThread {
    private let executor = ThreadExecutor(name: "feed-in")
    private let descriptor: FeedDescriptor
    private var unpacking: (any FeedUnpacking)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ descriptor: FeedDescriptor, _ unpacking: (any FeedUnpacking)?) {
        self.descriptor = descriptor
        self.unpacking = unpacking
    }

    /// - Parameter room: called when the receiver may have room again.
    func run(_ receiver: FeedSource.Receiver, _ room: WakeSignal) {
        do throws(Errno) {
            while case .bytes(let bytes) = try descriptor.receive() {
                let content = unpacking?.take(bytes) ?? bytes
                if !content.isEmpty, !receiver.take(content) { break }
                while !receiver.hasRoom { room.wait(atMost: .max / 2) }
            }
            receiver.end(nil)
        } catch {
            receiver.end(error)
        }
    }
}
