// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a copy of the bytes of `span` in `range`.
    package mutating func append(_ span: Span<UInt8>, in range: Range<Int>) {
        unsafe span.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
