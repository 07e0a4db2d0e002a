// SPDX-License-Identifier: Apache-2.0

internal import EngineActors
internal import EngineModel
internal import EngineRuntime
internal import IPC
internal import Loopback

/// Tells the service manager that the process lives, as long as it does.
///
/// Lives means that the engine's actor and both event loops have answered since the last time. A part that hangs keeps
/// the answer from coming, and the manager restarts the process.
struct Liveness {
    let manager: ServiceManager
    let engine: Engine
    let server: IPCServer
    let loopback: LoopbackServer

    /// Runs until it is cancelled. Returns at once when nobody watches.
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
