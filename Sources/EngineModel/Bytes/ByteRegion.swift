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

    /// The regions that a part of the body consists of.
    ///
    /// - Parameter range: within the body.
    package func slice(_ range: Range<Int>) -> [any ByteRegion] {
        var start = 0
        return regions.compactMap { region in
            let whole = start..<start + region.byteCount
            start = whole.upperBound
            let part = range.clamped(to: whole)
            guard !part.isEmpty else { return nil }
            if part == whole { return region }
            return RegionSlice(region, part.lowerBound - whole.lowerBound..<part.upperBound - whole.lowerBound)
        }
    }
}

/// A part of a region.
private final class RegionSlice: ByteRegion {
    private let whole: any ByteRegion
    private let range: Range<Int>

    init(_ whole: any ByteRegion, _ range: Range<Int>) {
        self.whole = whole
        self.range = range
    }

    var byteCount: Int { range.count }

    func withBytes<Value, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Value) throws(Failure) -> Value {
        try whole.withBytes { (bytes: Span<UInt8>) throws(Failure) in try body(bytes.extracting(range)) }
    }
}
