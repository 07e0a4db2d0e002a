// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import Logging

/// The process that publishes the engine's default session on the session bus.
@main
struct EnginedMpris: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engined-mpris",
        abstract: "Publishes engined's playback on the session bus (MPRIS), for media keys and playerctl.",
        discussion: """
            The engine's socket is --socket, otherwise $ENGINED_SOCKET, otherwise $XDG_RUNTIME_DIR/engined/engined.sock. \
            Waits for an engine if none is running. The bus is $DBUS_SESSION_BUS_ADDRESS, otherwise $XDG_RUNTIME_DIR/bus.

            Exit codes: 0 ended by a signal; 1 no bus, bus lost, or rejected by the engine; 64 usage error.
            """,
        version: "engined-mpris \(ProductVersion.current)"
    )

    @Option(help: ArgumentHelp("The engine's socket.", valueName: "path"), completion: .file())
    var socket: String?

    func run() async throws {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "engined-mpris")
        let environment = ProcessInfo.processInfo.environment
        let process = ProcessInfo.processInfo.processIdentifier
        let manager = ServiceManager(environment: environment, process: process)
        do {
            let chosen = socket ?? environment["ENGINED_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
            let path = try EngineClient.socketPath(chosen)
            let service = try BridgeService(socket: path, manager: manager, logger: logger)
            let names = [MPRIS.busName, MPRIS.busName(ofInstance: process)]
            EndSignals.ignoreBrokenPipes()
            let signals = await EndSignals()
            defer { withExtendedLifetime(signals) {} }
            try await service.run(names: names, until: signals.names)
        } catch let error as EngineClientError where error.code == .invalidArgument {
            throw ValidationError("\(error)")
        } catch {
            logger.critical("\(error)")
            manager.notify("STATUS=\(error)")
            throw ExitCode(1)
        }
        logger.info("ended")
    }
}
