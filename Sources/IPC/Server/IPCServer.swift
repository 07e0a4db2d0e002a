// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Logging
internal import EngineRuntime
internal import Listening
internal import NIOCore
internal import NIOPosix

/// The control plane: gRPC over HTTP/2 on a Unix socket, serving an `EngineService`.
///
/// One event loop on one thread, named `ipc`. The engine's work runs in tasks: commands that only change state run on
/// the loop, everything that waits for media runs off it.
///
/// Thread-safety: safe.
package final class IPCServer: Sendable {
    package let socketPath: String
    private let listener: UnixSocketListener
    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<ServerCore>
    private let channel: any Channel
    private let handovers: HandoverServer?
    private let inbox: ChangeInbox
    private let relay: Relay

    /// Starts a server that accepts connections when this returns.
    ///
    /// - Parameter web: control over HTTP, which `OpenWebControl` opens; `nil` if the engine does not have it.
    /// - Throws: `unavailable` if the socket cannot be served. Its file has then been removed, unless it was inherited.
    package static func start(
        _ service: any EngineService,
        web: (any WebControlService)? = nil,
        on listener: UnixSocketListener,
        limits: ServerLimits = ServerLimits(),
        logger: Logger
    ) async throws(EngineError) -> IPCServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let relay = Relay(loop: loop)
        let inbox = ChangeInbox { relay.visit() }
        var handovers: HandoverServer?
        do {
            let core = try await loop.submit {
                nameCurrentThread("ipc")
                let core = ServerCore(
                    loop: loop,
                    service: service,
                    web: web,
                    inbox: inbox,
                    limits: limits,
                    logger: logger
                )
                let bound = NIOLoopBound(core, eventLoop: loop)
                relay.attach(bound)
                return bound
            }.get()
            await service.observe(inbox)
            // The side socket first: as soon as clients can connect to the main socket, they can get tickets for this one.
            handovers = await HandoverServer.start(core, beside: listener, logger)
            let channel = try await bootstrap(core, loop, logger).withBoundSocket(listener.descriptor).get()
            return IPCServer(
                listener: listener,
                group: group,
                core: core,
                channel: channel,
                handovers: handovers,
                inbox: inbox,
                relay: relay
            )
        } catch {
            inbox.stop()
            listener.removeName()
            await handovers?.stop()
            // Nothing was served yet; the first failure is the one to report.
            _ = try? await group.shutdownGracefully()
            throw EngineError(.unavailable, "cannot serve on \(listener.path)", cause: "\(error)")
        }
    }

    private init(
        listener: UnixSocketListener,
        group: MultiThreadedEventLoopGroup,
        core: NIOLoopBound<ServerCore>,
        channel: any Channel,
        handovers: HandoverServer?,
        inbox: ChangeInbox,
        relay: Relay
    ) {
        socketPath = listener.path
        self.listener = listener
        self.group = group
        self.core = core
        self.channel = channel
        self.handovers = handovers
        self.inbox = inbox
        self.relay = relay
    }

    private static func bootstrap(
        _ core: NIOLoopBound<ServerCore>,
        _ loop: any EventLoop,
        _ logger: Logger
    ) -> ServerBootstrap {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 4096)
            .pausingWithoutDescriptors()
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                PeerCredentials.of(channel).flatMapThrowing { peer in
                    guard peer.isAllowed else {
                        logger.warning(
                            "rejected a connection",
                            metadata: ["pid": "\(peer.process)", "uid": "\(peer.user)"]
                        )
                        throw PeerRefused()
                    }
                    let core = core.value
                    let hasRoom = core.hasRoomForConnection
                    if !hasRoom { logger.warning("rejected a connection: \(core.connectionCount) are already open") }
                    let connection = ServerConnection(core: core, isRefused: !hasRoom)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    /// Stops listening, sends GOAWAY, ends open calls with UNAVAILABLE and removes the socket's file, unless it was
    /// inherited. Takes at most slightly longer than `ServerLimits.shutdown`.
    package func shutdown() async {
        inbox.stop()
        listener.removeName()
        await channel.stopListening()
        await handovers?.stop()
        let core = core
        let loop = core.eventLoop
        await core.shutDown()
        let relay = relay
        let closed = loop.submit {
            core.value.closeAll()
            relay.detach()
        }
        _ = try? await closed.get()  // Fails only if the loop has ended, and all connections with it.
        _ = try? await group.shutdownGracefully()  // The loop's thread ends either way.
    }

    /// The connections, watches and tasks that the server currently has, counted on its event loop.
    package struct Counts: Hashable, Sendable {
        package let connections: Int
        package let watches: Int
        package let runningTasks: Int
    }

    /// Waits for the event loop. Do not call it after `shutdown`: NIO drops tasks for a loop that has ended, so it
    /// would not return.
    package var counts: Counts? {
        get async {
            let core = core
            let counting = core.eventLoop.submit {
                Counts(
                    connections: core.value.connectionCount,
                    watches: core.value.watches.hub.watcherCount,
                    runningTasks: core.value.tasks.runningCount
                )
            }
            // The task does not throw, and a loop that has not ended runs every task.
            do { return try await counting.get() } catch { return nil }
        }
    }
}

/// Thrown to close a connection before its first byte.
struct PeerRefused: Error {}

/// Forwards the inbox's notification of new changes to the event loop.
private final class Relay: Sendable {
    private let loop: any EventLoop
    private let core: NIOLoopBoundBox<NIOLoopBound<ServerCore>?>

    init(loop: any EventLoop) {
        self.loop = loop
        core = .makeEmptyBox(valueType: NIOLoopBound<ServerCore>.self, eventLoop: loop)
    }

    func attach(_ core: NIOLoopBound<ServerCore>) { self.core.value = core }

    /// Releases the core to break a reference cycle: the core holds the service, which holds the inbox, which holds
    /// this relay.
    func detach() { core.value = nil }

    func visit() { loop.execute { self.core.value?.value.watches.drain() } }
}
