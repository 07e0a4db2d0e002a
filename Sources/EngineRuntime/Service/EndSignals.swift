// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Delivers the signals that end the process as values. Until `init` returns, a signal may still end the process.
package final class EndSignals {
    /// The names of the signals received, for one reader.
    package let names: AsyncStream<String>
    private let sources: [any DispatchSourceProtocol]

    /// Returns once SIGTERM and SIGINT are watched, and SIGHUP if it is included.
    ///
    /// - Parameter isInputIncluded: whether the end of standard input counts as a signal. Its bytes are discarded.
    package init(isHangUpIncluded: Bool = false, isInputIncluded: Bool = false) async {
        let (names, name) = AsyncStream.makeStream(of: String.self)
        self.names = names
        var wanted = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
        if isHangUpIncluded { wanted.append((SIGHUP, "SIGHUP")) }
        var sources: [any DispatchSourceProtocol] = wanted.map { number, text in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { name.yield(text) }
            return source
        }
        if isInputIncluded {
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
            source.setEventHandler {
                guard BlockingInput(STDIN_FILENO).next().isEmpty else { return }
                name.yield("end of input")
                source.cancel()
            }
            sources.append(source)
        }
        self.sources = sources
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
