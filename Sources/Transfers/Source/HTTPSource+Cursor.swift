// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

extension HTTPSource {
    /// One reader's view of the source. At the end of a file that is still being written, it waits for more.
    final class Cursor: ByteCursor {
        private let reader: Reader
        private let source: HTTPSource
        private let interrupt: InterruptFlag

        init(_ reader: Reader, of source: HTTPSource, _ interrupt: InterruptFlag) {
            self.reader = reader
            self.source = source
            self.interrupt = interrupt
        }

        var byteCount: Int64 { source.byteCount }
        var isGrowing: Bool { source.growth != nil }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0, output.freeCapacity > 0 else { return 0 }
            while true {
                let count: Int
                do throws(SourceFailure) {
                    count = try reader.read(at: offset, into: &output)
                } catch {
                    throw EngineError(error, source.path)
                }
                if count > 0 { return count }
                guard try source.awaitGrowth(past: offset, interrupt) else { return 0 }
            }
        }

        func expect(_ ranges: [Range<Int64>]) { reader.expect(ranges) }
    }

    /// Whether the source is a file that was being written when it was opened.
    var isRecording: Bool { scheduler.withLock { $0.resource.recording != nil } }

    /// Treats the source as a recording if its server says that it was written to recently: its length stays what it is
    /// until `follow` is called, although later answers of the server state another one.
    ///
    /// - Parameters:
    ///   - quiet: once nothing has been written to a file for this long, it has ended.
    ///   - makeFetch: makes the receiver of a request for the length of the file.
    func record(quiet: Duration, _ makeFetch: @escaping @Sendable (InterruptFlag) -> WholeFetch) {
        let isRecording = scheduler.withLock { scheduler in
            guard scheduler.isSeekable else { return false }
            let now = monotonicNanoseconds()
            scheduler.resource.record(quiet: quiet, wall: wallClockSeconds(), now: now)
            guard scheduler.resource.recording != nil else { return false }
            scheduler.endSearch()
            return true
        }
        guard isRecording else { return }
        // What is on disk belongs to a version, of which the file will have many.
        copy?.abandon()
        poll.withLock { $0 = LengthPoll(makeFetch) }
    }

    /// From now on, reads at the end of a recording wait until more is written.
    func follow() { scheduler.withLock { $0.resource.followRecording() } }

    /// Waits until a file that is being written has the byte at an offset.
    ///
    /// - Returns: `false` if the source has ended before that byte, or does not grow.
    private func awaitGrowth(past offset: Int64, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        guard let poll = poll.withLock({ $0 }) else { return false }
        let wake = WakeSignal()
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        while offset >= byteCount {
            guard scheduler.withLock({ $0.resource.recording?.isGrowing == true }) else { return false }
            if let failure { throw EngineError(failure, path) }
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            try ask(poll, interrupt)
            if offset < byteCount { break }
            wake.wait(atMost: LengthPoll.interval)
        }
        return true
    }

    private func ask(_ poll: LengthPoll, _ interrupt: InterruptFlag) throws(EngineError) {
        do throws(EngineError) {
            let found = try poll.ask(currentRequest, after: byteCount, by: loop, interrupt)
            guard let found else { return }
            scheduler.withLock { scheduler in
                guard !scheduler.resource.update(found, now: monotonicNanoseconds()) else { return }
                scheduler.fail(.changed, "\(scheduler.shownURL): it has become shorter")
            }
        } catch {
            // A server that is away for a while may return; a file that is gone does not.
            let mayPass = error.code == .sourceUnreachable || error.code == .sourceReadFailed
            let isLost = scheduler.withLock { $0.resource.recording?.isLost(now: monotonicNanoseconds()) ?? true }
            if !mayPass || isLost { throw error }
        }
    }
}
