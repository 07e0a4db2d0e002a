// SPDX-License-Identifier: Apache-2.0

/// Handles one call of a method. Lives on the event loop.
protocol CallHandler: AnyObject {
    func receive(_ message: [UInt8], on call: ServerCall)
    /// The client has sent its last message.
    func receiveEnd(on call: ServerCall)
    /// The next framed response, called when the stream has room for one. `nil`: none now; the handler calls
    /// `call.resume` when there is one.
    func nextMessage() -> [UInt8]?
    /// The call is over and nothing more is sent. Called once, however the call ended.
    func callEnded()
}
