// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation
internal import Logging
internal import Sessions

/// Lets the caches shrink while memory is short, and grow again when it no longer is.
struct MemoryRelief {
    /// The file that reports memory pressure, and the trigger to write to it.
    struct Origin: Hashable {
        let path: String
        let words: [UInt8]

        /// The file for the control group of this process, if its service manager named one (systemd's memory pressure
        /// protocol), otherwise the file for the whole system. `nil` if the service manager disables the watch.
        init?(_ environment: [String: String]) {
            guard let path = environment["MEMORY_PRESSURE_WATCH"] else {
                self.path = "/proc/pressure/memory"
                // Triggers when processes have waited for memory for 0.2 s of 2 s. From unprivileged users, the kernel
                // accepts only windows that are multiples of 2 s.
                words = Array("some 200000 2000000\0".utf8)
                return
            }
            guard path.hasPrefix("/"), path != "/dev/null" else { return nil }
            self.path = path
            words = environment["MEMORY_PRESSURE_WRITE"].flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
        }
    }

    /// The caches may grow after this long without a shortage.
    private static let rest = Duration.seconds(30)

    let engine: Engine
    let logger: Logger

    /// Returns when the reports end, or at once if there are none.
    func run(_ origin: Origin?) async {
        guard let origin else { return }
        guard let pressure = MemoryPressure(path: origin.path, words: origin.words) else {
            logger.debug("\(origin.path) does not tell when memory is short")
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
