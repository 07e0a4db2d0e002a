// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore

/// Reads a range of a body piece by piece, so that at most one piece is in memory twice.
struct BodyCursor {
    let body: ByteBody
    private var region = 0
    /// The offset of the next byte in the current region.
    private var offset: Int
    private(set) var remaining: Int

    init(_ body: ByteBody, range: Range<Int>) {
        self.body = body
        offset = range.lowerBound
        remaining = range.count
        while region < body.regions.count, offset >= body.regions[region].byteCount {
            offset -= body.regions[region].byteCount
            region += 1
        }
    }

    /// Appends up to `limit` bytes to `buffer`, across regions.
    mutating func write(upTo limit: Int, to buffer: inout ByteBuffer) {
        var room = min(limit, remaining)
        while room > 0, region < body.regions.count {
            let current = body.regions[region]
            let count = min(room, current.byteCount - offset)
            let start = offset
            current.withBytes { bytes in
                buffer.writeWithOutputRawSpan(minimumWritableBytes: count) { output in
                    for index in start..<start + count { output.append(bytes[index]) }
                }
            }
            offset += count
            room -= count
            remaining -= count
            if offset == current.byteCount {
                region += 1
                offset = 0
            }
        }
    }
}
