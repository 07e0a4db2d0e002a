// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime

@testable package import Bindings

/// Bytes in memory with a scripted result for each read, for `FormatContext.open(store:…)`.
///
/// Thread-safety: safe.
package final class ScriptedByteStore: ByteStore {
    /// The result of one read.
    package enum Answer: Sendable {
        case whole
        /// At most this many bytes are returned; 0 is the end.
        case atMost(Int)
        case failure(Errno)
        /// All of it, after the gate has opened.
        case after(Gate)
    }

    private let bytes: [UInt8]
    private let answer: @Sendable (Range<Int64>) -> Answer
    /// The ranges requested so far, in order, limited to the bytes that exist.
    package let requests = Locked<[Range<Int64>]>([])

    /// - Parameter answer: called on the reading thread with the bytes that are asked for.
    package init(_ bytes: [UInt8], answer: @escaping @Sendable (Range<Int64>) -> Answer = { _ in .whole }) {
        self.bytes = bytes
        self.answer = answer
    }

    package var byteCount: Int64 { Int64(bytes.count) }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        let start = min(max(0, offset), byteCount)
        let wanted = start..<min(byteCount, start + Int64(buffer.count))
        requests.withLock { $0.append(wanted) }
        var count = wanted.count
        switch answer(wanted) {
        case .whole: break
        case .atMost(let limit): count = min(count, limit)
        case .failure(let errno): throw errno
        case .after(let gate): gate.block()
        }
        for place in 0..<count { unsafe buffer[place] = bytes[Int(start) + place] }
        return count
    }
}
