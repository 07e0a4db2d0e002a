// SPDX-License-Identifier: Apache-2.0

internal import CNghttp2

/// Header fields in order, stored contiguously, so that a block used for every response is built only once.
package struct HeaderBlock: Sendable {
    private var bytes: [UInt8] = []
    private var lengths: [(name: Int, value: Int)] = []

    package init(_ fields: [(String, String)] = []) {
        for (name, value) in fields { append(name, value) }
    }

    /// - Parameter name: in lower case (RFC 9113 §8.2.1).
    mutating func append(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: value.utf8)
        lengths.append((name.utf8.count, value.utf8.count))
    }

    /// Lends the block as nghttp2's name-value pairs, which nghttp2 copies.
    func withPairs<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: lengths.count) { pairs in
                var cursor = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
                for (index, length) in lengths.enumerated() {
                    let name = unsafe cursor
                    let value = unsafe cursor?.advanced(by: length.name)
                    let pair = unsafe nghttp2_nv(
                        name: name,
                        value: value,
                        namelen: length.name,
                        valuelen: length.value,
                        flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                    )
                    unsafe pairs.initializeElement(at: index, to: pair)
                    unsafe cursor = value?.advanced(by: length.value)
                }
                return unsafe body(pairs.baseAddress.map { unsafe UnsafePointer($0) }, lengths.count)
            }
        }
    }
}
