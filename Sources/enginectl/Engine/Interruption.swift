// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Turns Ctrl-C, SIGTERM and SIGHUP into an orderly shutdown. Once an instance exists, these signals no longer kill
/// the process.
final class Interruption {
    private let signals: EndSignals

    init() async { signals = await EndSignals(isHangUpIncluded: true) }

    /// Runs `body` and cancels it on a signal. Returns `nil` if the signal came first.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask { [names = signals.names] in
                for await _ in names { break }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
