// SPDX-License-Identifier: Apache-2.0

/// Handles one call of a method. Used only on the event loop.
protocol CallHandler: AnyObject {
    func receive(_ message: [UInt8], on call: ServerCall)
    /// The client has sent its last message.
    func receiveEnd(on call: ServerCall)
    /// Returns the next framed response. Called when the stream has room for one. If it returns `nil`, the handler calls
    /// `call.resume` when there is another response.
    func nextMessage() -> [UInt8]?
    /// The call is over and nothing more is sent. Called once, however the call ended.
    func callEnded()
}
