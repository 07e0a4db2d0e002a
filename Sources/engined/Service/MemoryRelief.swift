// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation
internal import Logging
internal import Sessions

/// Lets the caches shrink while memory is short, and grow again when it no longer is.
struct MemoryRelief {
    /// Who tells that memory is short, and what counts as that.
    struct Origin: Hashable {
        let path: String
        let words: [UInt8]

        /// The file for the control group of this process, if its service manager named one (systemd's memory pressure
        /// protocol), otherwise that of the whole system. `nil` if the service manager wants none.
        init?(_ environment: [String: String]) {
            guard let path = environment["MEMORY_PRESSURE_WATCH"] else {
                self.path = "/proc/pressure/memory"
                // Processes waited for memory for 0.2 s of 2 s. Of users, the kernel takes only multiples of 2 s.
                words = Array("some 200000 2000000\0".utf8)
                return
            }
            guard path.hasPrefix("/"), path != "/dev/null" else { return nil }
            self.path = path
            words = environment["MEMORY_PRESSURE_WRITE"].flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
        }
    }

    /// After so long without a shortage, the caches may grow.
    private static let rest = Duration.seconds(30)

    let engine: Engine
    let logger: Logger

    /// Returns when nobody tells any more, or at once if nobody does.
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
