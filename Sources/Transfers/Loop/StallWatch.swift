// SPDX-License-Identifier: Apache-2.0

/// Detects stalled and slow transfers, from the moment the request was sent. Pure; times are in nanoseconds of
/// CLOCK_MONOTONIC.
struct StallWatch {
    enum Finding: Equatable {
        case fine
        /// No bytes for `StallLimits.quiet`; returned once per silence.
        case quiet
        /// No bytes for `StallLimits.stall`.
        case stalled
        /// Fewer than `StallLimits.leastBytes` in a window.
        case tooSlow
    }

    private let stallLimits: StallLimits
    private var byteCount: Int64 = 0
    private var lastByte: Int64
    /// Whether a silence was reported that has not ended.
    private(set) var isQuiet = false
    /// The start of the current window for measuring speed.
    private var window: (start: Int64, byteCount: Int64)

    init(_ stallLimits: StallLimits, now: Int64) {
        self.stallLimits = stallLimits
        lastByte = now
        window = (now, 0)
    }

    /// - Parameter byteCount: the bytes received so far in the whole transfer.
    mutating func check(byteCount: Int64, now: Int64) -> Finding {
        if byteCount > self.byteCount {
            self.byteCount = byteCount
            lastByte = now
            isQuiet = false
        }
        // Report every silence before ending the transfer, even if this check is late.
        if !isQuiet, now - lastByte >= stallLimits.quiet {
            isQuiet = true
            return .quiet
        }
        if now - lastByte >= stallLimits.stall { return .stalled }
        if now - window.start >= stallLimits.window {
            if byteCount - window.byteCount < stallLimits.leastBytes { return .tooSlow }
            window = (now, byteCount)
        }
        return .fine
    }

    /// The time of the next check.
    var nextCheck: Int64 {
        min(lastByte + (isQuiet ? stallLimits.stall : stallLimits.quiet), window.start + stallLimits.window)
    }
}

/// Detects that a server is silent while a transfer logs in. Pure; times are in nanoseconds.
struct LoginWatch {
    private var isQuiet = false

    /// - Parameter silence: the time for which the server has sent nothing.
    mutating func check(silence: Int64, _ limits: StallLimits) -> StallWatch.Finding {
        let wasQuiet = isQuiet
        isQuiet = silence >= limits.quiet
        // Report every silence before ending the transfer, even if this check is late.
        if isQuiet, !wasQuiet { return .quiet }
        return silence >= limits.login ? .stalled : .fine
    }

    /// The time until the next check.
    func timeUntilNextCheck(after silence: Int64, _ limits: StallLimits) -> Int64 {
        max(0, (isQuiet ? limits.login : limits.quiet) - silence)
    }
}

/// The limits on the time for which a transfer may deliver no bytes, or too few. In nanoseconds.
package struct StallLimits: Hashable, Sendable {
    /// A silence of this length is reported.
    package var quiet: Int64
    /// A silence of this length ends the transfer.
    package var stall: Int64
    /// A silence of this length during the login to an SFTP or FTP server ends the transfer.
    package var login: Int64
    /// At least `leastBytes` must be received in each period of this length.
    package var window: Int64
    package var leastBytes: Int64

    package init(
        quiet: Duration = .seconds(3),
        stall: Duration = .seconds(20),
        window: Duration = .seconds(30),
        leastBytes: Int64 = 16 << 10
    ) {
        self.quiet = Int64(quiet / .nanoseconds(1))
        self.stall = Int64(stall / .nanoseconds(1))
        login = self.stall
        self.window = Int64(window / .nanoseconds(1))
        self.leastBytes = leastBytes
    }

    /// The limits for a live stream: a silence of at most 10 s ends the transfer.
    package var live: StallLimits { stall <= Self.longestLiveSilence ? self : .proportional(to: .seconds(10)) }

    private static let longestLiveSilence: Int64 = 10_000_000_000

    /// These limits, reduced so that a silence of `longest` ends the transfer.
    package func within(_ longest: Duration) -> StallLimits {
        var limits = self
        let longest = Int64(longest / .nanoseconds(1))
        (limits.stall, limits.login) = (min(stall, longest), min(login, longest))
        limits.quiet = min(quiet, limits.stall / 2)
        return limits
    }

    /// The default limits, scaled so that a silence of `stall` instead of 20 s ends a transfer.
    package static func proportional(to stall: Duration) -> StallLimits {
        StallLimits(
            quiet: min(.seconds(3), stall / 2),
            stall: stall,
            window: stall * 3 / 2,
            leastBytes: max(1, Int64(stall / .seconds(20) * Double(16 << 10)))
        )
    }
}
