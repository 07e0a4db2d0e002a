// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// Handles one call of a method. Used only on the event loop.
protocol CallHandler: AnyObject {
    func receive(_ message: [UInt8], on call: ServerCall)
    /// The client has sent its last message.
    func receiveEnd(on call: ServerCall)
    /// Returns the next framed response. Called when the stream has room for one. After it has returned `nil`, the
    /// handler must call `call.resume` once it has another response.
    func nextMessage() -> [UInt8]?
    /// Called once, when the call has ended for any reason and nothing more will be sent.
    func callEnded()
}

/// The statuses of calls that do not send exactly one message to a method that accepts only one.
extension GRPCStatus {
    static let extraMessage = GRPCStatus(.invalidArgument, "the method accepts only one message")
    static let missingMessage = GRPCStatus(.invalidArgument, "the method requires one message")
}
