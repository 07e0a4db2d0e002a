// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a copy of lent bytes.
    package mutating func append(copying bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// Appends a copy of a part of these bytes to `output`, which must have room for it.
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
