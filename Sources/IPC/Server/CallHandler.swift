// SPDX-License-Identifier: Apache-2.0

/// What one method does with one call. Lives on the event loop.
protocol CallHandler: AnyObject {
    func receive(_ message: [UInt8], on call: ServerCall)
    /// The client has said everything.
    func receiveEnd(on call: ServerCall)
    /// The next framed response, when the stream has room for one. `nil`: none now, `call.resume` when there is.
    func nextMessage() -> [UInt8]?
    /// Nobody listens any more. Called once, however the call ended.
    func callEnded()
}
