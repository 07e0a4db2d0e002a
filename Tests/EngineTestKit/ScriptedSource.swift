// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import EngineRuntime

/// A source whose bytes are in memory, with a scripted result for each read. It may grow once.
///
/// Thread-safety: safe.
package final class ScriptedSource: ByteSource {
    /// How a source grows: it has its first `start` bytes, and all bytes once the gate is open. Until then, a read that
    /// begins at a missing byte waits at the gate, unless the growth was ended.
    package struct Growth: Sendable {
        package let start: Int
        package let gate: Gate

        package init(from start: Int, after gate: Gate) {
            self.start = start
            self.gate = gate
        }
    }

    package struct Facts: Sendable {
        package var oldest: Int64 = 0
        package var slides = false
        package var traffic = SourceTraffic()
        package var live: LiveProgress?
    }

    package let path = "scripted"
    package let identity = SourceIdentity.list(name: "scripted", digest: "")
    package let isRemote: Bool
    /// The ranges requested so far by all cursors, in order.
    package let requests = Locked<[Range<Int64>]>([])
    /// The ranges announced so far by all cursors, in order.
    package let announced = Locked<[Range<Int64>]>([])
    /// The properties that the source states about itself.
    package let facts = Locked(Facts())
    /// Yields to the stream that the latest call of `waits()` returned.
    package let wait = Locked<AsyncStream<SourceDelivery>.Continuation?>(nil)
    private let bytes: [UInt8]
    private let grows: Growth?
    private let hasEnded = Locked(false)
    private let retryCount = Locked(0)
    private let answer: @Sendable (Range<Int64>) -> ScriptedByteStore.Answer

    /// - Parameter answer: called on the reading thread with the bytes that are asked for, once the source has them.
    package init(
        _ bytes: [UInt8],
        isRemote: Bool = false,
        growing growth: Growth? = nil,
        answer: @escaping @Sendable (Range<Int64>) -> ScriptedByteStore.Answer = { _ in .whole }
    ) {
        self.bytes = bytes
        self.isRemote = isRemote
        grows = growth
        self.answer = answer
    }

    package var byteCount: Int64 {
        guard let grows, !grows.gate.isOpen else { return Int64(bytes.count) }
        return Int64(grows.start)
    }

    package var growth: SourceGrowth? {
        guard let grows, !grows.gate.isOpen, !hasEnded.withLock({ $0 }) else { return nil }
        return SourceGrowth()
    }

    package var bytesRead: UInt64 { 0 }

    package func endGrowth() { hasEnded.withLock { $0 = true } }

    package var oldest: Int64 { facts.withLock { $0.oldest } }

    package var slides: Bool { facts.withLock { $0.slides } }

    package var traffic: SourceTraffic { facts.withLock { $0.traffic } }

    package func waits() -> AsyncStream<SourceDelivery> {
        let (stream, continuation) = AsyncStream.makeStream(of: SourceDelivery.self)
        wait.withLock { $0 = continuation }
        return stream
    }

    /// The number of calls of `retry` so far.
    package var retries: Int { retryCount.withLock { $0 } }

    package func retry() { retryCount.withLock { $0 += 1 } }

    package var live: LiveProgress? { facts.withLock { $0.live } }

    package func verify() throws(EngineError) {}

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    private final class Cursor: ByteCursor {
        private let source: ScriptedSource
        private let interrupt: InterruptFlag

        init(_ source: ScriptedSource, _ interrupt: InterruptFlag) {
            self.source = source
            self.interrupt = interrupt
        }

        var byteCount: Int64 { source.byteCount }
        var isGrowing: Bool { source.growth != nil }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            if offset >= byteCount, isGrowing, let growth = source.grows { try wait(at: growth.gate) }
            let start = min(max(0, offset), byteCount)
            let wanted = start..<min(byteCount, start + Int64(output.freeCapacity))
            source.requests.withLock { $0.append(wanted) }
            var count = wanted.count
            switch source.answer(wanted) {
            case .whole: break
            case .atMost(let limit): count = min(count, limit)
            case .failure(let error): throw error
            case .after(let gate): try wait(at: gate)
            }
            source.bytes.copy(Int(start)..<Int(start) + count, to: &output)
            return count
        }

        func expect(_ ranges: [Range<Int64>]) { source.announced.withLock { $0 += ranges } }

        private func wait(at gate: Gate) throws(EngineError) {
            guard gate.block(unless: interrupt) else { throw EngineError(.cancelled, "the read was interrupted") }
        }
    }
}
