// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore
internal import NIOHTTP1

/// A response: a status, headers, and a range of a body.
struct Response {
    var status: HTTPResponseStatus
    var headers: [(name: String, value: String)] = []
    /// The value of `Content-Length`. `nil` for statuses that never have a body, and for streams, whose length is
    /// unknown.
    var contentLength: Int?
    /// The body, of which `bodyRange` is sent after the head. `nil` if only the head is sent, as for HEAD.
    var body: ByteBody?
    var bodyRange = 0..<0
    /// Whether the connection is closed after this response.
    var closes = false

    /// A response with a line of text that explains it.
    static func message(_ status: HTTPResponseStatus, _ text: String, closes: Bool = false) -> Response {
        let body = ByteBody(Array((text + "\n").utf8))
        var response = Response(status: status, contentLength: body.byteCount, body: body)
        response.bodyRange = 0..<body.byteCount
        response.closes = closes
        response.headers = [("Content-Type", ContentType.text.rawValue), ("Cache-Control", "no-store")]
        return response
    }

    /// Keeps the headers and drops the body (RFC 9110 §9.3.2).
    mutating func dropBody() {
        body = nil
        bodyRange = 0..<0
    }

    /// Appends the status line and headers.
    func writeHead(to buffer: inout ByteBuffer, date: String) {
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nDate: \(date)\r\n")
        if let contentLength { buffer.writeString("Content-Length: \(contentLength)\r\n") }
        for header in headers { buffer.writeString("\(header.name): \(header.value)\r\n") }
        buffer.writeString(closes ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n")
    }
}
