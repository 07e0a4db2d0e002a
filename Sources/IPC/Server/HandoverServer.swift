// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Listening
internal import Logging
internal import NIOCore
internal import NIOPosix

/// The side socket beside the gRPC socket. It hands over memory or a socket to clients that present a ticket.
final class HandoverServer: Sendable {
    private let listener: UnixSocketListener
    private let channel: any Channel

    private init(listener: UnixSocketListener, channel: any Channel) {
        self.listener = listener
        self.channel = channel
    }

    /// Returns `nil` if the socket cannot be created. Then only the calls that issue a ticket fail (`HandoverMethods`).
    static func start(
        _ core: NIOLoopBound<ServerCore>,
        beside main: UnixSocketListener,
        _ logger: Logger
    ) async -> HandoverServer? {
        do {
            let listener = try UnixSocketListener(beside: main)
            do {
                let channel = try await bootstrap(core, logger).withBoundSocket(listener.descriptor).get()
                try await core.eventLoop.submit { core.value.offerSideSocket(at: listener.path) }.get()
                return HandoverServer(listener: listener, channel: channel)
            } catch {
                listener.removeName()
                throw error
            }
        } catch {
            logger.warning("frames and audio cannot be attached: no side socket", metadata: ["cause": "\(error)"])
            return nil
        }
    }

    private static func bootstrap(_ core: NIOLoopBound<ServerCore>, _ logger: Logger) -> ServerBootstrap {
        ServerBootstrap(group: core.eventLoop)
            .pausingWithoutDescriptors()
            .childChannelInitializer { channel in
                PeerCredentials.of(channel).flatMapThrowing { peer in
                    let core = core.value
                    guard peer.isAllowed, core.quota.hasRoomForHandover else {
                        logger.warning(
                            "rejected an attachment",
                            metadata: ["pid": "\(peer.process)", "uid": "\(peer.user)"]
                        )
                        throw PeerRefused()
                    }
                    let connection = HandoverConnection(
                        core: core,
                        peer: try SocketPeer(of: channel),
                        logger: logger
                    )
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    /// Accepts no new connections. Existing connections stay open until the client, the engine or the end of the event
    /// loop closes them.
    func stop() async {
        listener.removeName()
        await channel.stopListening()
    }
}
