// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation
internal import Logging
internal import Sessions

/// Connects the engine to what reports that memory is short.
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

    let engine: Engine
    let logger: Logger

    /// Returns when the origin stops reporting, or at once if nothing reports.
    func run(_ origin: Origin) async {
        guard let pressure = origin.opened() else {
            logger.debug("the engine is not told when memory is short")
            return
        }
        await engine.caches.follow(pressure) { limit in
            logger.notice("memory is short, the caches shrink", metadata: ["cache-bytes": "\(limit)"])
        }
    }
}
