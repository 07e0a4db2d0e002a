// SPDX-License-Identifier: Apache-2.0

/// The events of an HTTP/2 connection. Called on its event loop, inside `receive` or `fill`.
///
/// Implementations may submit frames but must not call `receive` or `fill`.
package protocol HTTP2SessionDelegate: AnyObject {
    /// A frame header has arrived; the frame has not been processed yet. A server can detect a flood of frames here.
    func receivedFrame(_ frame: FrameHeader)
    func openedStream(_ stream: Int32)
    /// - Parameter name: `nil` for a header that is not in `HeaderName`; `value` is empty then.
    /// - Parameter size: the size of the field in the header list (RFC 9113 §6.5.2).
    func receivedHeader(_ name: HeaderName?, value: String, size: Int, on stream: Int32)
    func receivedEndOfHeaders(on stream: Int32)
    func receivedData(_ data: Span<UInt8>, on stream: Int32)
    func receivedEndOfStream(_ stream: Int32)
    func sentEndOfStream(_ stream: Int32)
    func closedStream(_ stream: Int32, code: HTTP2ErrorCode)
    /// The peer processes no stream after `last`.
    func receivedGoAway(lastStream last: Int32, code: HTTP2ErrorCode)
    /// The next bytes of a stream's body, at most `limit` of them.
    func nextData(for stream: Int32, limit: Int) -> OutboundData
}

package enum OutboundData {
    /// Not empty.
    case bytes(ArraySlice<UInt8>)
    /// No bytes now. The delegate must `resume` the stream once it has some.
    case later
    /// The body ends. If trailers are given, they end the stream, otherwise the body does.
    case end(trailers: HeaderBlock?)
}

/// The frame header of RFC 9113 §4.1.
package struct FrameHeader {
    package let kind: UInt8
    package let flags: UInt8
    package let length: Int

    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let windowUpdate: UInt8 = 8
    package static let continuation: UInt8 = 9
    package static let endOfStream: UInt8 = 1
}

/// RFC 9113 §7.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let none = HTTP2ErrorCode(rawValue: 0)
    package static let cancel = HTTP2ErrorCode(rawValue: 8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
}

/// The headers that a gRPC peer reads.
package enum HeaderName: String {
    case method = ":method"
    case path = ":path"
    case status = ":status"
    case contentType = "content-type"
    case timeout = "grpc-timeout"
    case encoding = "grpc-encoding"
    case grpcStatus = "grpc-status"
    case grpcMessage = "grpc-message"
    case engineCode = "engine-error-code"
    case engineCause = "engine-error-cause"
    case engineField = "engine-error-field"
}
