// SPDX-License-Identifier: Apache-2.0

/// Judges whether the bytes of a connected transfer come. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
struct StallWatch {
    enum Finding: Equatable {
        case fine
        /// Nothing has come for a while; returned once for each silence.
        case quiet
        /// Nothing has come for too long.
        case stalled
        /// Too little has come for too long.
        case tooSlow
    }

    private let patience: TransferPatience
    private var byteCount: Int64 = 0
    private var lastByte: Int64
    private var isQuiet = false
    /// Where the present measurement of speed began.
    private var window: (start: Int64, byteCount: Int64)

    init(_ patience: TransferPatience, now: Int64) {
        self.patience = patience
        lastByte = now
        window = (now, 0)
    }

    /// - Parameter byteCount: of the whole transfer, so far.
    mutating func look(byteCount: Int64, now: Int64) -> Finding {
        if byteCount > self.byteCount {
            self.byteCount = byteCount
            lastByte = now
            isQuiet = false
        }
        // Each silence is reported before it ends the transfer, also when this look comes late.
        if !isQuiet, now - lastByte >= patience.quiet {
            isQuiet = true
            return .quiet
        }
        if now - lastByte >= patience.stall { return .stalled }
        if now - window.start >= patience.window {
            if byteCount - window.byteCount < patience.leastBytes { return .tooSlow }
            window = (now, byteCount)
        }
        return .fine
    }

    /// When to look again if nothing comes until then.
    var nextLook: Int64 {
        min(lastByte + (isQuiet ? patience.stall : patience.quiet), window.start + patience.window)
    }
}

/// How long a transfer may deliver nothing, or too little. In nanoseconds.
package struct TransferPatience: Hashable, Sendable {
    /// A silence of this length is said.
    package var quiet: Int64
    /// A silence of this length ends the transfer.
    package var stall: Int64
    /// `leastBytes` must come in each period of this length.
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
        self.window = Int64(window / .nanoseconds(1))
        self.leastBytes = leastBytes
    }
}
