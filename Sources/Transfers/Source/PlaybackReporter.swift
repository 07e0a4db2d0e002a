// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Adds playback reports (CMCD, CTA-5004) to the requests of one source. The sources that a source names report the same
/// playback, each with what it is itself.
///
/// Thread-safety: safe. Never blocks.
package final class PlaybackReporter: Sendable {
    private struct State {
        /// `nil` if playback is not reported.
        var options: CMCDOptions?
        var playback: @Sendable () -> PlaybackReport? = { nil }
        /// Counts reports.
        var number = 0
        /// The number of times playback had run out of media when the last report was sent.
        var stalls: UInt64 = 0
    }

    /// Used if the options have no session identifier.
    private let sessionID: String
    private let state: Locked<State>
    private let object: Locked<RequestedObject>

    /// A random UUID (RFC 9562 §5.4).
    private static func uuid() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(bytes[$0]) }.joined(separator: "-")
    }

    /// - Parameter leader: the reporter of the source that names this one, whose options apply; `nil` if there is none.
    init(_ options: CMCDOptions?, of object: RequestedObject, namedBy leader: PlaybackReporter?) {
        sessionID = leader?.sessionID ?? Self.uuid()
        state = leader?.state ?? Locked(State(options: options))
        self.object = Locked(object)
    }

    /// Later requests are for `object`, such as another range of a file that holds many segments.
    func describe(_ object: RequestedObject) { self.object.withLock { $0 = object } }

    /// Replaces the options: later requests carry the reports that the new options demand. Stalls while playback was
    /// not reported are not reported later.
    func refresh(_ options: CMCDOptions?) {
        let stalls = state.withLock(\.playback)()?.stalls
        state.withLock { state in
            if state.options == nil, let stalls { state.stalls = stalls }
            state.options = options
        }
    }

    /// - Parameter playback: returns the report of the session that most recently opened the source. Called whenever
    ///   requests may be sent.
    func follow(_ playback: @escaping @Sendable () -> PlaybackReport?) { state.withLock { $0.playback = playback } }

    /// The current state of playback, empty if no session is known. `nil` if playback is not reported.
    var playback: PlaybackReport? {
        let (options, playback) = state.withLock { ($0.options, $0.playback) }
        return options == nil ? nil : playback() ?? PlaybackReport()
    }

    /// The request with the report added as header fields or as a query argument, if playback is reported.
    func request(_ request: TransferRequest, _ playback: PlaybackReport?, bytesPerSecond: Double?) -> TransferRequest {
        let found = state.withLock { state -> (options: CMCDOptions, number: Int, stalls: UInt64)? in
            guard let options = state.options, let playback else { return nil }
            defer { (state.number, state.stalls) = (state.number + 1, playback.stalls) }
            return (options, state.number, state.stalls)
        }
        guard let (options, number, stalls) = found, let playback else { return request }
        let report = CMCDReport(
            options,
            sessionID: sessionID,
            playback,
            of: object.withLock(\.self),
            hasStarved: playback.stalls > stalls,
            throughput: bytesPerSecond.map { $0 * 8 },
            number: number
        )
        var request = request
        switch options.transport {
        case .header: request.headers += report.headers
        case .query: request.url = request.url.adding(argument: "CMCD", report.query)
        }
        return request
    }
}
