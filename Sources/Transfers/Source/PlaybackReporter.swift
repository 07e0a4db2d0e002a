// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Adds playback reports (CMCD, CTA-5004) to the requests of one source.
///
/// Thread-safety: safe. Never blocks.
package final class PlaybackReporter: Sendable {
    private struct State {
        /// `nil` if playback is not reported.
        var options: CMCDOptions?
        var playback: @Sendable () -> PlaybackReport? = { nil }
        /// Counts requests.
        var number = 0
        /// The number of times playback had run out of media when the last request was sent.
        var stalls: UInt64 = 0
    }

    /// Used if the options have no session identifier.
    private let sessionID = PlaybackReporter.uuid()
    private let state: Locked<State>

    /// A random UUID (RFC 9562 §5.4).
    private static func uuid() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef")
        return bytes.enumerated().map { index, byte in
            ([4, 6, 8, 10].contains(index) ? "-" : "") + String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }.joined()
    }

    init(_ options: CMCDOptions?) { state = Locked(State(options: options)) }

    /// Replaces the options: from now on, requests carry the reports that they ask for.
    func refresh(_ options: CMCDOptions?) { state.withLock { $0.options = options } }

    /// - Parameter playback: returns the report of the session that most recently opened the source. Called for each
    ///   request.
    func follow(_ playback: @escaping @Sendable () -> PlaybackReport?) { state.withLock { $0.playback = playback } }

    /// The current state of playback; an empty report if no session is known, and `nil` if it is not reported.
    var playback: PlaybackReport? {
        let (options, playback) = state.withLock { ($0.options, $0.playback) }
        return options == nil ? nil : playback() ?? PlaybackReport()
    }

    /// The request with the report added as header fields or as a query argument, if playback is reported.
    func request(_ request: TransferRequest, _ playback: PlaybackReport?, bytesPerSecond: Double?) -> TransferRequest {
        let (options, number, stalls) = state.withLock { state in
            defer {
                state.number += 1
                state.stalls = playback?.stalls ?? state.stalls
            }
            return (state.options, state.number, state.stalls)
        }
        guard let options, let playback else { return request }
        let report = CMCDReport(
            options,
            sessionID: sessionID,
            playback,
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
