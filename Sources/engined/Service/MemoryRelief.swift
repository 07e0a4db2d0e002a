// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation
internal import Logging
internal import Sessions

/// Shrinks the caches while memory is short, and lets them grow again afterwards.
struct MemoryRelief {
    /// The source of reports that memory is short.
    enum Origin: Hashable {
        case serviceManager(MemoryPressure.Trigger)
        case kernel
        case nothing

        /// Follows systemd's memory pressure protocol: the trigger that the service manager names in
        /// MEMORY_PRESSURE_WATCH, nothing if that variable disables the watch, or the kernel if it is not set.
        init(_ environment: [String: String]) {
            guard let path = environment["MEMORY_PRESSURE_WATCH"] else {
                self = .kernel
                return
            }
            guard path.hasPrefix("/"), path != "/dev/null" else {
                self = .nothing
                return
            }
            let words = environment["MEMORY_PRESSURE_WRITE"].flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
            self = .serviceManager(MemoryPressure.Trigger(path: path, words: words))
        }

        /// `nil` if there is nothing to wait for.
        func opened() -> MemoryPressure? {
            switch self {
            case .serviceManager(let trigger): MemoryPressure(trigger)
            case .kernel: MemoryPressure()
            case .nothing: nil
            }
        }
    }

    /// How long memory must not be short before the caches may grow.
    private static let rest = Duration.seconds(30)

    let engine: Engine
    let logger: Logger

    /// Returns when the origin stops reporting, or at once if nothing reports.
    func run(_ origin: Origin) async {
        guard let pressure = origin.opened() else {
            logger.debug("nothing reports when memory is short")
            return
        }
        var growing: Task<Void, Never>?
        while await pressure.isShort() {
            growing?.cancel()
            let limit = await engine.shrinkCaches()
            logger.notice("memory is short, the caches shrink", metadata: ["cache-bytes": "\(limit)"])
            // Ends when the caches have grown to their full size, or memory is short again.
            growing = Task { await grow() }
        }
    }

    private func grow() async {
        var isFull = false
        while !isFull {
            do { try await Task.sleep(for: Self.rest) } catch { return }
            isFull = await engine.growCaches()
        }
    }
}
