// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// The signals that end the process, as an asynchronous stream. SIGPIPE is ignored: a disconnected peer is an ordinary
/// error.
struct SignalStream {
    private let stream: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        signal(SIGPIPE, SIG_IGN)
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(name) }
            source.resume()
            return source
        }
    }

    /// Waits for the next signal that ends the process.
    func next() async -> String {
        for await name in stream { return name }
        return "none"
    }
}
