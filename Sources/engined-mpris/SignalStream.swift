// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Delivers the signals that end the process as values, for as long as the object lives.
final class SignalStream {
    /// The names of the signals received. One reader.
    let names: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        self.names = names
        signal(SIGPIPE, SIG_IGN)
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(name) }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }
}
