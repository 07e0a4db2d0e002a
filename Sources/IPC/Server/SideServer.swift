// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Logging
internal import NIOCore
internal import NIOPosix

/// The socket beside that of gRPC, on which memory is given to those who show a ticket.
final class SideServer: Sendable {
    private let listener: UnixSocketListener
    private let channel: any Channel

    private init(listener: UnixSocketListener, channel: any Channel) {
        self.listener = listener
        self.channel = channel
    }

    /// `nil` where there can be no such socket: attaching is refused then, and nothing else.
    static func start(
        _ core: NIOLoopBound<ServerCore>,
        beside main: UnixSocketListener,
        _ logger: Logger
    ) async -> SideServer? {
        do {
            let listener = try UnixSocketListener(beside: main)
            do {
                let channel = try await bootstrap(core, logger).withBoundSocket(listener.descriptor).get()
                try await core.eventLoop.submit { core.value.sidePath = listener.path }.get()
                return SideServer(listener: listener, channel: channel)
            } catch {
                listener.removeName()
                throw error
            }
        } catch {
            logger.warning("frames cannot be attached", metadata: ["cause": "\(error)"])
            return nil
        }
    }

    private static func bootstrap(_ core: NIOLoopBound<ServerCore>, _ logger: Logger) -> ServerBootstrap {
        ServerBootstrap(group: core.eventLoop)
            .childChannelInitializer { channel in
                PeerCredentials.of(channel).flatMapThrowing { peer in
                    let core = core.value
                    guard peer.isAllowed, core.attachmentCount < core.limits.attachments else {
                        logger.warning(
                            "refused an attachment",
                            metadata: ["pid": "\(peer.process)", "uid": "\(peer.user)"]
                        )
                        throw PeerRefused()
                    }
                    let connection = HandoverConnection(
                        core: core,
                        peer: try HandoverChannel(of: channel),
                        logger: logger
                    )
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    /// Nobody new comes; who is attached stays until the engine ends what is attached.
    func stop() async {
        listener.removeName()
        try? await channel.close()  // Closed already is what is wanted.
    }
}
