// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineActors
internal import EngineModel
internal import Glibc
internal import IPC
internal import Logging
internal import Loopback

/// The engine's process: reads its options, starts the parts, waits for a signal, ends them in order.
@main
struct Engined: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engined",
        abstract: "Opens media files and serves them as HLS on loopback HTTP, driven over a Unix socket.",
        discussion: """
            Front-ends talk to it over gRPC on the socket; enginectl is the reference client. SIGTERM and SIGINT end it \
            cleanly.

            Exit codes: 0 ended by a signal, 1 it could not start, 64 wrong use.
            """,
        version: "engined 0.1.0"
    )

    @Option(help: ArgumentHelp("The control socket.", discussion: "Default: $XDG_RUNTIME_DIR/engined/engined.sock."))
    var socket: String?

    @Option(help: "The port for HLS. 0 lets the system choose.")
    var httpPort = 0

    @Option(
        help: ArgumentHelp("The address for HLS. Anything but loopback lets other machines in.", valueName: "address")
    )
    var httpAddress = "127.0.0.1"

    @Option(help: ArgumentHelp("Memory for finished segments of all sessions. Suffixes K, M, G.", valueName: "bytes"))
    var cacheBytes = ByteSize(count: 512 << 20)

    @Option(help: ArgumentHelp("The least that is logged, to stderr.", valueName: "level"))
    var logLevel = LogLevel.info

    func validate() throws {
        guard (0...65_535).contains(httpPort) else { throw ValidationError("--http-port must be 0 … 65535") }
        guard cacheBytes.count >= 1 << 20 else { throw ValidationError("--cache-bytes must be 1M or more") }
    }

    func run() async throws {
        let level = logLevel.level
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        ProcessLimits.keepHeapSmall()
        let logger = Logger(label: "engined")
        let signals = SignalStream()
        ProcessLimits.raiseOpenFiles()
        do {
            try await serve(until: signals, logger)
        } catch let error as EngineError {
            logger.critical("\(error)")
            throw ExitCode(1)
        }
    }

    private func serve(until signals: SignalStream, _ logger: Logger) async throws {
        let listener = try UnixSocketListener(SocketPath.resolve(socket))
        var configuration = EngineConfiguration()
        configuration.cacheBytes = cacheBytes.count
        configuration.planDirectory = CacheDirectory.path.map { "\($0)/plans" }
        let engine = Engine(configuration: configuration)
        await engine.observe(ChangeLog(logger: logger))

        var http = LoopbackConfiguration()
        http.address = httpAddress
        http.port = httpPort
        let loopback: LoopbackServer
        do throws(EngineError) {
            loopback = try await LoopbackServer.start(
                configuration: http,
                provider: EngineRoutes(engine: engine),
                logger: Logger(label: "http")
            )
        } catch {
            listener.removeName()
            throw error
        }
        await engine.serve(at: loopback.baseURL)
        let server = try await IPCServer.start(engine, on: listener, logger: Logger(label: "ipc"))
        logger.info(
            "ready",
            metadata: ["socket": "\(server.socketPath)", "http": "\(loopback.address):\(loopback.port)"]
        )

        let signal = await signals.next()
        logger.info("ending", metadata: ["signal": "\(signal)"])
        // First nobody new comes, then held requests are let go, then the threads end.
        await server.shutdown()
        await engine.shutDown()
        await loopback.stop()
        logger.info("ended")
    }
}

/// The words of `--log-level`.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
