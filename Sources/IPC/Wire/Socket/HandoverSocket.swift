// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import EngineModel
package import EngineRuntime
internal import Glibc

/// The client's end of a connection to the side socket. `receive` blocks, and so does `init` while the engine's backlog
/// is full; all other calls return immediately.
///
/// Thread-safety: safe; only one thread may call `receive`.
package final class HandoverSocket: Sendable {
    private let descriptor: CInt

    /// Connects and presents the ticket.
    package init(_ path: FilePath, showing ticket: HandoverTicket) throws(SystemError) {
        descriptor = try connectedSocket(to: path, isBlocking: true)
        guard unsafe csystem_send_with_descriptors(descriptor, ticket.bytes, ticket.bytes.count, nil, 0) > 0 else {
            throw SystemError(errno, in: "sendmsg")
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Waits for the next message.
    ///
    /// - Returns: the message and its descriptors, which the caller must close; `nil` when the connection has ended or
    ///   the message is malformed.
    package func receive() -> (message: HandoverMessage, descriptors: [CInt])? {
        var bytes = [UInt8](repeating: 0, count: HandoverMessage.byteCount)
        var descriptors: [CInt] = [-1, -1]
        var count = descriptors.count
        let received = unsafe csystem_receive_with_descriptors(
            descriptor,
            &bytes,
            bytes.count,
            &descriptors,
            &count
        )
        descriptors.removeLast(descriptors.count - count)
        guard received == bytes.count, let message = HandoverMessage(bytes) else {
            for each in descriptors { Glibc.close(each) }
            return nil
        }
        return (message, descriptors)
    }

    /// Closes descriptors that `receive` has returned.
    package static func close(_ descriptors: [CInt]) { for each in descriptors { Glibc.close(each) } }

    /// Requests a `news` message at the next change, and tells the engine that the client may have released memory.
    package func ask() { _ = unsafe csystem_send_with_descriptors(descriptor, [UInt8(ascii: "?")], 1, nil, 0) }

    /// Ends the connection; `receive` then returns `nil`.
    package func shutDown() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
}
