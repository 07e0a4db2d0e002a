// SPDX-License-Identifier: Apache-2.0

internal import Sessions
internal import EngineModel
internal import EngineRuntime
internal import Server
internal import Loopback

/// Notifies the service manager's watchdog as long as the process is alive.
///
/// The process counts as alive if the engine's actor and both event loops have responded since the last notification.
/// If a component hangs, the notification is not sent, and the manager restarts the process.
struct Liveness {
    let manager: ServiceManager
    let engine: Engine
    let server: IPCServer
    let loopback: LoopbackServer

    /// Runs until cancelled. Returns at once if there is no watchdog.
    func run() async {
        guard let interval = manager.watchdogInterval else { return }
        while !Task.isCancelled {
            _ = await server.counts
            await loopback.answers()
            let count = await engine.sessions().sessions.count
            guard !Task.isCancelled else { return }
            manager.notify("WATCHDOG=1", "STATUS=\(count == 1 ? "1 session" : "\(count) sessions")")
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }
}
