// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOHTTP1

extension Response {
    /// The head, and the body unless it is a stream.
    init(_ control: ControlResponse) {
        self.init(status: HTTPResponseStatus(statusCode: control.status))
        headers = control.headers.map { ($0.name, $0.value) }
        guard case .bytes(let bytes) = control.body else {
            // Without a length, the end of the connection is the end of the body.
            closes = true
            return
        }
        if bytes.isEmpty {
            contentLength = control.status == 204 ? nil : 0
        } else {
            contentLength = bytes.count
            body = ByteBody(bytes)
            bodyRange = 0..<bytes.count
        }
    }
}
