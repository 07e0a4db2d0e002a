// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import EngineModel
internal import EngineRuntime
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The client at the other end of a connection on the side socket. Sends from any thread, through its own duplicate of
/// the descriptor.
///
/// A send never blocks, whatever flags the other end may set on the socket: `MSG_DONTWAIT` applies to the call.
final class SocketPeer: HandoverPeer {
    /// `nil` once closed.
    private let descriptor: Locked<CInt?>

    /// - Throws: if the channel has no socket, or no descriptor is available.
    init(of channel: any Channel) throws {
        let copy = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard let copy, copy >= 0 else { throw ChannelError.operationUnsupported }
        descriptor = Locked(copy)
    }

    deinit { close() }

    @discardableResult
    func send(_ message: HandoverMessage, descriptors: [CInt]) -> Bool {
        let bytes = message.bytes
        return descriptor.withLock { descriptor in
            guard let descriptor else { return false }
            let sent = unsafe csystem_send_with_descriptors(
                descriptor,
                bytes,
                bytes.count,
                descriptors,
                descriptors.count
            )
            return sent == bytes.count
        }
    }

    func close() {
        let last = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let last else { return }
        // The event loop sees the end of the connection and closes its own descriptor.
        shutdown(last, CInt(SHUT_RDWR))
        Glibc.close(last)
    }
}
