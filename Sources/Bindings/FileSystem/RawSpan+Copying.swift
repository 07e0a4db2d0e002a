// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a copy of borrowed bytes.
    package mutating func append(copying bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// Lends the bytes.
    package func lend<Value>(_ body: (RawSpan) -> Value) -> Value { unsafe body(span.bytes) }

    /// Overwrites the bytes from `offset` on with a copy of borrowed bytes, which must fit.
    package mutating func replace(at offset: Int, copying bytes: RawSpan) {
        precondition(offset >= 0 && bytes.byteCount <= count - offset)
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...])
                unsafe place.copyMemory(from: source)
            }
        }
    }

    /// Appends a copy of `part` to `output`, which must have enough free capacity.
    package func copy(_ part: Range<Int>, to output: inout OutputRawSpan) {
        precondition(part.count <= output.freeCapacity && part.lowerBound >= 0 && part.upperBound <= count)
        unsafe withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target, filled in
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
                unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[part]))
                filled += part.count
            }
        }
    }
}

extension [UInt8] {
    /// The bytes that `body` writes, at most `capacity`.
    package init<Failure: Error>(
        upTo capacity: Int,
        _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        self = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var output = unsafe OutputRawSpan(buffer: UnsafeMutableRawBufferPointer(buffer), initializedCount: 0)
            do throws(Failure) { try body(&output) } catch { failure = error }
            count = unsafe output.finalize(for: UnsafeMutableRawBufferPointer(buffer))
        }
        if let failure { throw failure }
    }
}

extension RawSpan {
    /// Whether the span begins with `bytes`.
    package func begins(with bytes: [UInt8]) -> Bool {
        byteCount >= bytes.count
            && bytes.indices.allSatisfy { unsafe unsafeLoad(fromByteOffset: $0, as: UInt8.self) == bytes[$0] }
    }
}
