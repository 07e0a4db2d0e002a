// SPDX-License-Identifier: Apache-2.0

/// Immutable bytes that may live in memory owned by C code.
///
/// Thread-safety: safe. The bytes never change; a borrower may read them from any thread for as long as it holds the
/// region.
package protocol ByteRegion: AnyObject, Sendable {
    var byteCount: Int { get }

    /// Lends the bytes to `body`. They are valid only during the call.
    func withBytes<Value, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Value) throws(Failure) -> Value
}

/// Bytes that live in a Swift array.
package final class ArrayRegion: ByteRegion {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var byteCount: Int { bytes.count }

    package func withBytes<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bytes = bytes
        return try body(bytes.span)
    }
}

/// A body made of regions in order, such as written boxes and the sample data they describe. Never joined into one
/// buffer.
package struct ByteBody: Sendable {
    package let regions: [any ByteRegion]
    package let byteCount: Int

    package init(_ regions: [any ByteRegion]) {
        self.regions = regions
        byteCount = regions.reduce(0) { $0 + $1.byteCount }
    }

    package init(_ bytes: [UInt8]) { self.init([ArrayRegion(bytes)]) }
}
