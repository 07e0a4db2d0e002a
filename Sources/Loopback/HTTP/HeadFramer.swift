// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Splits a byte stream into request heads, one at a time, with size limits.
///
/// It only looks for the empty line that ends a head (RFC 9112 §2.1). The HTTP decoder behind it never sees an
/// unbounded head, nor a second request before the first is answered.
struct HeadFramer {
    enum Result: Equatable {
        case head(ByteBuffer)
        case needsBytes
        case requestLineTooLong
        case headTooLong
    }

    private let requestLineLimit: Int
    private let headLimit: Int
    private var pending = ByteBuffer()
    /// How many bytes of `pending` were searched without finding the end.
    private var searched = 0
    private var requestLineLength: Int?

    init(requestLineLimit: Int, headLimit: Int) {
        self.requestLineLimit = requestLineLimit
        self.headLimit = headLimit
    }

    /// The number of bytes received but not yet returned.
    var pendingByteCount: Int { pending.readableBytes }

    mutating func append(_ bytes: ByteBuffer) {
        if pending.readableBytes == 0 {
            pending = bytes
        } else {
            pending.writeImmutableBuffer(bytes)
        }
    }

    /// Discards all input, for a connection that is read only to detect its end.
    mutating func discard() { self = HeadFramer(requestLineLimit: requestLineLimit, headLimit: headLimit) }

    /// The next head including its empty line, if it is complete.
    mutating func next() -> Result {
        if searched == 0 { skipEmptyLines() }
        let view = pending.readableBytesView
        let limit = min(view.count, headLimit)
        while searched < limit {
            let index = view.startIndex + searched
            searched += 1
            guard view[index] == UInt8(ascii: "\n") else { continue }
            if requestLineLength == nil { requestLineLength = searched }
            if requestLineLength ?? searched > requestLineLimit { return .requestLineTooLong }
            guard searched >= 4, view[(index - 3)...index].elementsEqual("\r\n\r\n".utf8) else { continue }
            return take(searched)
        }
        if requestLineLength == nil, searched > requestLineLimit { return .requestLineTooLong }
        return searched >= headLimit ? .headTooLong : .needsBytes
    }

    /// The next bytes, which belong to a body: at most `limit`, empty if none have arrived.
    mutating func takeBody(upTo limit: Int) -> ByteBuffer {
        guard let bytes = pending.readSlice(length: min(limit, pending.readableBytes)) else { return ByteBuffer() }
        if pending.readableBytes == 0 { pending = ByteBuffer() }
        return bytes
    }

    private mutating func take(_ byteCount: Int) -> Result {
        guard let head = pending.readSlice(length: byteCount) else { return .needsBytes }
        searched = 0
        requestLineLength = nil
        if pending.readableBytes == 0 { pending = ByteBuffer() }
        return .head(head)
    }

    /// Some clients send an extra line end after a request (RFC 9112 §2.2).
    private mutating func skipEmptyLines() {
        while let byte = pending.readableBytesView.first, byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
            pending.moveReaderIndex(forwardBy: 1)
        }
    }
}
