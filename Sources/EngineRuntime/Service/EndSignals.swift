// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Delivers the signals that end the process as values. Until `init` returns, a signal may still end the process.
package final class EndSignals {
    /// The names of the signals received, for one reader.
    package let names: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    /// Returns once SIGTERM and SIGINT are watched, and SIGHUP if it is included.
    package init(isHangUpIncluded: Bool = false) async {
        let (names, name) = AsyncStream.makeStream(of: String.self)
        self.names = names
        var wanted = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
        if isHangUpIncluded { wanted.append((SIGHUP, "SIGHUP")) }
        sources = wanted.map { number, text in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { name.yield(text) }
            return source
        }
        // Waits until libdispatch has installed its handler for each signal. The signals are not ignored (`SIG_IGN`) in
        // the meantime, because an ignored signal is discarded, not delivered later.
        for source in sources {
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// From now on, writing to a disconnected peer is an ordinary error and does not end the process.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Waits for the next signal. `nil` if the task is cancelled.
    package func next() async -> String? {
        for await name in names { return name }
        return nil
    }
}
