// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Turns Ctrl-C, SIGTERM and SIGHUP into an orderly shutdown. Once an instance exists, these signals no longer kill
/// the process.
final class Interruption {
    private let stream: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
    }

    /// Runs `body` and cancels it on a signal. Returns `nil` if the signal came first.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask { [stream] in
                for await _ in stream { break }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
