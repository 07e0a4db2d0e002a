// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import EngineRuntime

internal import Bindings

/// Bytes in memory with a scripted result for each read, for `FormatContext.open(store:…)`.
///
/// Thread-safety: safe.
package final class ScriptedByteStore: ByteCursor {
    /// The result of one read.
    package enum Answer: Sendable {
        case whole
        /// At most this many bytes are returned; 0 is the end.
        case atMost(Int)
        case failure(EngineError)
        /// All bytes, after the gate has opened.
        case after(Gate)
    }

    /// How often the store still answers that it grows.
    private let growingAnswers: Locked<Int>
    private let bytes: [UInt8]
    private let answer: @Sendable (Range<Int64>) -> Answer
    /// The ranges requested so far, in order, limited to the bytes that exist.
    package let requests = Locked<[Range<Int64>]>([])

    /// - Parameters:
    ///   - growingAnswers: how often the store answers that it grows, although all bytes can be read.
    ///   - answer: called on the reading thread with the bytes that are asked for.
    package init(
        _ bytes: [UInt8],
        growingAnswers: Int = 0,
        answer: @escaping @Sendable (Range<Int64>) -> Answer = { _ in .whole }
    ) {
        self.bytes = bytes
        self.growingAnswers = Locked(growingAnswers)
        self.answer = answer
    }

    package var byteCount: Int64 { Int64(bytes.count) }

    package var isGrowing: Bool {
        growingAnswers.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
    }

    package func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
        let start = min(max(0, offset), byteCount)
        let wanted = start..<min(byteCount, start + Int64(output.freeCapacity))
        requests.withLock { $0.append(wanted) }
        var count = wanted.count
        switch answer(wanted) {
        case .whole: break
        case .atMost(let limit): count = min(count, limit)
        case .failure(let error): throw error
        case .after(let gate): gate.block()
        }
        bytes.copy(Int(start)..<Int(start) + count, to: &output)
        return count
    }
}
