// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Listening
package import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The HTTP/1.1 server that players fetch playlists and segments from.
///
/// A single thread runs all connections. The thread never waits for a client or a provider.
///
/// Thread-safety: safe. `stop` must be called before the last reference is released.
package final class LoopbackServer: Sendable {
    /// The address to which the server is bound.
    package let address: String
    /// The host in the URLs of the server.
    private let host: String
    package let port: Int

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let registry: NIOLoopBound<ConnectionRegistry>
    private let sharedCounters: Locked<ServeCounters>
    private let isStopped = Locked(false)
    private let logger: Logger

    /// Starts listening and serves until `stop`.
    ///
    /// - Parameter control: serves everything below `/web`; `nil`: no control over HTTP.
    /// - Throws: `unavailable` if the address cannot be bound.
    package static func start(
        configuration: LoopbackConfiguration = LoopbackConfiguration(),
        provider: any LoopbackProvider,
        control: (any ControlProvider)? = nil,
        logger: Logger
    ) async throws(EngineError) -> LoopbackServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let counters = Locked(ServeCounters())
        do {
            let registry = try await eventLoop.submit {
                nameCurrentThread("http")
                let registry = ConnectionRegistry(
                    configuration: configuration,
                    eventLoop: eventLoop,
                    counters: counters
                )
                return NIOLoopBound(registry, eventLoop: eventLoop)
            }.get()
            let listener = try await listen(
                configuration,
                provider: provider,
                control: control,
                registry: registry,
                on: group
            )
            let bound = listener.localAddress?.ipAddress ?? configuration.address
            let host = await ServedHost.host(boundTo: bound) { await ServedHost.source(to: $0, on: group) }
            return LoopbackServer(group, listener, registry, counters, configuration, host: host, logger)
        } catch {
            group.shutdownGracefully { _ in }
            let place = "\(configuration.address):\(configuration.port)"
            throw EngineError(.unavailable, "cannot listen on \(place)", cause: "\(error)")
        }
    }

    private static func listen(
        _ configuration: LoopbackConfiguration,
        provider: any LoopbackProvider,
        control: (any ControlProvider)?,
        registry: NIOLoopBound<ConnectionRegistry>,
        on group: MultiThreadedEventLoopGroup
    ) async throws -> any Channel {
        let limits = NIOHTTPDecoderLimitConfiguration(headLimit: configuration.headLimit)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 512)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .pausingWithoutDescriptors()
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A stream's next piece waits until the last one was sent (`StreamPump`).
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 1, high: 1))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gate = RequestGate(configuration: configuration)
                    let router = RequestRouter(
                        hosts: HostCheck(boundAddress: boundAddress(of: channel.parent, configuration)),
                        isValidToken: { provider.isValid(token: $0) },
                        hasControl: control != nil
                    )
                    let connection = ConnectionHandler(
                        configuration: configuration,
                        provider: provider,
                        control: control,
                        router: router,
                        gate: gate,
                        registry: registry.value
                    )
                    guard registry.value.admit(connection) else { throw ChannelError.ioOnClosedChannel }
                    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
                    try channel.pipeline.syncOperations.addHandlers(gate, ByteToMessageHandler(decoder), connection)
                }
            }
        if let descriptor = configuration.descriptor { return try await bootstrap.withBoundSocket(descriptor).get() }
        return try await bootstrap.bind(host: configuration.address, port: configuration.port).get()
    }

    /// The address to which a server is bound; that of a passed socket is known only to the socket.
    private static func boundAddress(of listener: (any Channel)?, _ configuration: LoopbackConfiguration) -> String {
        let passed = configuration.descriptor == nil ? nil : listener?.localAddress?.ipAddress
        return passed ?? configuration.address
    }

    private init(
        _ group: MultiThreadedEventLoopGroup,
        _ listener: any Channel,
        _ registry: NIOLoopBound<ConnectionRegistry>,
        _ sharedCounters: Locked<ServeCounters>,
        _ configuration: LoopbackConfiguration,
        host: String,
        _ logger: Logger
    ) {
        self.group = group
        self.host = host
        self.listener = listener
        self.registry = registry
        self.sharedCounters = sharedCounters
        self.logger = logger
        address = Self.boundAddress(of: listener, configuration)
        port = listener.localAddress?.port ?? configuration.port
        logger.info("serving HTTP", metadata: ["address": "\(address)", "port": "\(port)"])
    }

    /// The part of every URL before the token.
    package var baseURL: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Returns once the server's thread has executed a task, which shows that the thread is alive. Do not call it after
    /// `stop`: NIO drops tasks for a thread that has ended, so it would not return.
    package func answers() async {
        let task = listener.eventLoop.submit {}
        do { try await task.get() } catch {
            // The task does not throw.
        }
    }

    package var counters: ServeCounters { sharedCounters.withLock { $0 } }

    /// Stops listening, answers every held request with 503 and closes every connection. Returns when that is done,
    /// without waiting for provider tasks to finish.
    package func stop() async {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        guard !wasStopped else { return }
        await listener.stopListening()
        let released = listener.eventLoop.submit { [registry] in registry.value.releaseAll() }
        _ = try? await released.get()  // Fails only if the loop has ended, and all connections with it.
        // The thread ends after the last provider task has returned to it. From here on, no code may wait for the event
        // loop.
        listener.eventLoop.execute { [registry, group] in
            registry.value.whenDrained { group.shutdownGracefully { _ in } }
        }
        logger.info("stopped serving HTTP", metadata: ["port": "\(port)"])
    }
}

extension NIOHTTPDecoderLimitConfiguration {
    fileprivate init(headLimit: Int) {
        self.init()
        maxHeaderFieldSize = headLimit
        maxHeaderListSize = headLimit
    }
}
