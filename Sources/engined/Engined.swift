// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CSystemShims
internal import Sessions
internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import Server
internal import Wire
internal import Logging
internal import Loopback
internal import WebControl

/// The engine's process: reads its options, starts the components, waits for a signal, and shuts down in order.
@main
struct Engined: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engined",
        abstract: "Opens media files and serves them as HLS on loopback HTTP, controlled over a Unix socket.",
        discussion: """
            Clients use gRPC on the socket; enginectl is the reference client. SIGTERM and SIGINT shut it down \
            cleanly.

            Every option can also be set in a settings file ($XDG_CONFIG_HOME/engined/engined.conf or \
            /etc/engined/engined.conf, lines "http-port = 8080") and in the environment (ENGINED_HTTP_PORT=8080). The \
            environment overrides the file, and an option overrides both.

            Exit codes: 0 ended by a signal, 1 startup failed, 64 usage error or invalid setting.
            """,
        version: "engined \(ProductVersion.current)"
    )

    @Option(help: ArgumentHelp("The settings file. Its keys are the other options.", valueName: "file"))
    var config: String?

    @OptionGroup var serving: ServingFlags

    @OptionGroup var cache: CacheFlags

    @OptionGroup var live: LiveFlags

    @Option(
        help: ArgumentHelp(
            "Whether sources may be fetched from servers: on (the default), off, or hosts separated by commas.",
            valueName: "on|off|hosts"
        )
    )
    var network: String?

    @OptionGroup var http: HTTPFlags

    @OptionGroup var keeping: KeepingFlags

    @OptionGroup var log: LogFlags

    @Option(
        name: .customLong("sound-device"),
        help: ArgumentHelp(
            """
            The audio output of sessions that play inside the engine: none (the default), default, a sink of the sound server, \
            or alsa:NAME.
            """,
            valueName: "name"
        )
    )
    var audioDevice: String?

    @Flag(help: "End when standard input ends, for a program that starts an engine for itself.")
    var endWithInput = false

    @OptionGroup(title: "Players") var player: PlayerFlags

    /// Replaces the parser's own entry point, which requires arguments to be text: a path may be any bytes.
    static func main() async {
        do {
            let command = try parseAsRoot(ProcessNames.arguments.map { ByteText.text(of: $0) })
            guard let command = command as? Engined else { throw CleanExit.helpRequest() }
            try await command.run()
            csystem_end_process(0)
        } catch {
            let (status, text) = (exitCode(for: error), fullMessage(for: error))
            // The message may repeat an argument, with escapes (`ByteText`) for bytes that are not UTF-8.
            let message = String(decoding: ByteText.bytes(of: text), as: UTF8.self)
            if !message.isEmpty {
                let output = status.isSuccess ? FileHandle.standardOutput : FileHandle.standardError
                do {
                    try output.write(contentsOf: Data((message + "\n").utf8))
                } catch {
                    csystem_end_process(status.isSuccess ? EX_IOERR : status.rawValue)
                }
            }
            csystem_end_process(status.rawValue)
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings: Settings
        do throws(SettingsError) {
            settings = try self.settings(environment)
        } catch {
            throw ValidationError("\(error)")
        }
        Log.start(settings)
        ProcessLimits.keepHeapSmall()
        ProcessLimits.quietEncoders()
        let logger = Logger(label: "engined")
        if !ProcessLimits.readTextAsUTF8() {
            logger.warning("there is no locale C.UTF-8: hosts whose names are not ASCII cannot be resolved")
        }
        EndSignals.ignoreBrokenPipes()
        let signals = await EndSignals(isInputIncluded: endWithInput)
        ProcessLimits.raiseOpenFiles()
        let manager = ServiceManager(environment: environment, process: getpid())
        do {
            try await serve(settings, environment, manager, until: signals, logger)
        } catch let error as EngineError {
            logger.critical("\(error)")
            manager.notify("STATUS=\(error)")
            throw error.code == .invalidArgument ? ExitCode.validationFailure : ExitCode(1)
        }
    }

    /// Precedence from lowest to highest: defaults, file, environment, flags.
    private func settings(_ environment: [String: String]) throws(SettingsError) -> Settings {
        var settings = Settings()
        let variables = Self.variables(["ENGINED_CONFIG"] + Settings.Key.allCases.map(\.variable))
        let named = config ?? variables["ENGINED_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        if let file = try SettingsFile.read(named: named, environment: environment) {
            try settings.take(file: file.text, named: file.path)
        }
        try settings.take(environment: variables)
        let topics: [[(Settings.Key, String?)]] = [
            serving.settings, cache.settings, live.settings, [(.network, network)], http.settings, keeping.settings,
            log.settings, [(.audioDevice, audioDevice)], player.settings,
        ]
        for (key, text) in topics.joined() {
            if let text { try settings.set(key, to: text, from: "--\(key.rawValue)") }
        }
        return settings
    }

    /// The values of environment variables, as `ByteText`; those that are not set are left out.
    private static func variables(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for name in names { found[name] = ProcessNames.variable(name).map { ByteText.text(of: $0) } }
        return found
    }

    private func serve(
        _ settings: Settings,
        _ environment: [String: String],
        _ manager: ServiceManager,
        until signals: EndSignals,
        _ logger: Logger
    ) async throws {
        let listener = try Self.controlListener(settings, manager)
        var configuration = EngineConfiguration()
        configuration.sessionLimit = settings.serving.maxSessions
        configuration.cacheBytes = settings.cache.bytes
        configuration.windowBytes = settings.cache.windowBytes
        configuration.sourceCacheBytes = settings.cache.diskBytes
        if settings.cache.diskBytes > 0 {
            let own = Directories.cache(environment).map { "\($0)/ranges" }
            configuration.sourceCacheDirectory = settings.cache.diskDirectory ?? own
        }
        if settings.live.dvrBytes > 0 {
            configuration.spoolDirectory =
                settings.cache.diskDirectory.map { "\($0)/spools" }
                ?? Directories.cache(environment).map { "\($0)/spools" }
            configuration.spoolBytes = settings.live.dvrBytes
        }
        configuration.recordingTimeout = .seconds(settings.live.recordingTimeout)
        configuration.player = settings.player
        configuration.network = settings.servers.network
        configuration.http = settings.servers.http
        configuration.credentialFile = settings.servers.credentialFile
        configuration.secureShell = settings.servers.secureShell(environment)
        configuration.sourceHelpers = settings.servers.helpers
        configuration.planDirectory = Directories.cache(environment).map { "\($0)/plans" }
        configuration.recognitionDirectory = Directories.cache(environment).map { "\($0)/recognized" }
        configuration.loudnessDirectory = Directories.cache(environment).map { "\($0)/loudness" }
        configuration.historyDirectory = settings.keeping.hasHistory ? Directories.state(environment) : nil
        configuration.resumes = settings.keeping.resumes
        let opened = await Self.journal(settings, environment)
        let engine = Engine(configuration: configuration, journal: opened?.journal)
        let changes = ChangeLog(logger: logger)
        await engine.observe(changes)

        var restoration: SessionRestoration?
        if let opened {
            await engine.observe(opened.journal)
            // The sessions are restored before the server accepts requests, so that players do not notice the restart.
            let restored = await engine.restore(opened.records, losses: opened.losses)
            if !restored.lost.isEmpty {
                logger.warning(
                    "some sessions could not be restored",
                    metadata: ["sessions": "\(restored.lost.map(\.rawValue).joined(separator: ", "))"]
                )
            }
            restoration = restored
        }

        let metrics = EngineMetrics(engine: engine)
        let routes = EngineRoutes(engine: engine, metrics: metrics)
        let web = WebControl(
            socket: listener.path,
            stateDirectory: settings.keeping.journal == .off ? nil : Directories.state(environment)
        )
        let loopback: LoopbackServer
        let server: IPCServer
        do {
            loopback = try await Self.startLoopback(settings, manager, routes, web, lastPort: opened?.httpPort, logger)
            web.serve(address: loopback.address, port: loopback.port)
            await engine.serve(at: loopback.baseURL, port: loopback.port)
            var limits = ServerLimits()
            limits.connections = min(limits.connections, ProcessLimits.connections)
            server = try await IPCServer.start(
                engine,
                web: web,
                on: listener,
                limits: limits,
                logger: Logger(label: "ipc")
            )
        } catch {
            listener.removeName()
            // Close the journal, so that the next process does not take this end for a crash.
            await opened?.journal.close { await engine.keeping.keepAll() }
            throw error
        }
        // The restoration is released here, because it holds all sessions that were restored, even after they are
        // stopped.
        restoration.take()?.open()
        metrics.attach(server)
        // Cancelled below, once a signal ends the process.
        let writing = Task { await opened?.journal.run(httpPort: loopback.port) { await engine.keeping.keepAll() } }
        logger.info("decoding and demuxing with \(Engine.libraries)")
        logger.info(
            "ready",
            metadata: ["socket": "\(server.socketPath)", "http": "\(loopback.address):\(loopback.port)"]
        )
        manager.notify("READY=1", "STATUS=serving at \(loopback.baseURL)")
        let liveness = Liveness(manager: manager, engine: engine, server: server, loopback: loopback)
        // Cancelled below.
        let heartbeat = Task { await liveness.run() }
        let relief = MemoryRelief(engine: engine, logger: Logger(label: "memory"))
        // `relief.run` waits for the kernel, so this task ends only with the process.
        Task { await relief.run(MemoryRelief.Origin(environment)) }
        // Cancelled below.
        let remembering = Task { await engine.played.run() }

        let signal = await signals.next() ?? "none"
        logger.info("ending", metadata: ["signal": "\(signal)"])
        manager.notify("STOPPING=1", "STATUS=ending")
        heartbeat.cancel()
        remembering.cancel()
        writing.cancel()
        await writing.value
        await web.stop()
        // First refuse new clients, then release held requests, then end the threads.
        await server.shutdown()
        // Close the journal before `shutDown` ends the sessions, so that the next process restores them. A user who
        // ends the process by hand (SIGINT) does not want them back.
        await opened?.journal.close { await engine.keeping.keepAll() }
        if signal == "SIGINT" { await opened?.journal.clear() }
        await engine.shutDown()
        do throws(EngineError) {
            try await engine.played.flush()
        } catch {
            logger.warning("the history cannot be written: \(error)")
        }
        await loopback.stop()
        await changes.finish()
        logger.info("ended")
    }

    private static func journal(_ settings: Settings, _ environment: [String: String]) async -> SessionJournal.Opened? {
        guard settings.keeping.journal != .off, let directory = Directories.state(environment) else { return nil }
        let logger = Logger(label: "journal")
        let isSynced = settings.keeping.journal == .synced
        return await SessionJournal.open(directory: directory, isSynced: isSynced, logger: logger)
    }

    /// Listens on the service manager's socket or at the configured port. Without either, tries the port of the
    /// previous process, because players still use its URLs, and then any port.
    private static func startLoopback(
        _ settings: Settings,
        _ manager: ServiceManager,
        _ routes: EngineRoutes,
        _ web: WebControl,
        lastPort: Int?,
        _ logger: Logger
    ) async throws(EngineError) -> LoopbackServer {
        var http = LoopbackConfiguration()
        http.address = settings.serving.httpAddress
        http.port = settings.serving.httpPort
        http.connectionLimit = min(http.connectionLimit, ProcessLimits.connections)
        http.descriptor = manager.listeners.first { $0.name == "http" }?.descriptor
        let httpLogger = Logger(label: "http")
        if http.descriptor == nil, http.port == 0, let lastPort, (1...65_535).contains(lastPort) {
            http.port = lastPort
            do throws(EngineError) {
                return try await LoopbackServer.start(
                    configuration: http,
                    provider: routes,
                    control: web,
                    logger: httpLogger
                )
            } catch {
                logger.warning("the previous HTTP port is not available, so players must reload: \(error)")
                http.port = 0
            }
        }
        return try await LoopbackServer.start(configuration: http, provider: routes, control: web, logger: httpLogger)
    }

    /// Uses the socket from the service manager if there is one, otherwise creates one.
    private static func controlListener(
        _ settings: Settings,
        _ manager: ServiceManager
    ) throws(EngineError) -> UnixSocketListener {
        if let passed = manager.listeners.first(where: { $0.name != "http" }) {
            return try UnixSocketListener(adopting: passed.descriptor)
        }
        return try UnixSocketListener(SocketPath.resolve(settings.serving.socket))
    }
}
