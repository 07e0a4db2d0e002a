// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
package import Packaging

/// How the decoded audio of a session is changed, for every decoder that decodes it.
///
/// Thread-safety: safe.
package final class SharedSound: Sendable {
    private let chain: @Sendable (Int) -> SoundChain?
    private let onFailure: @Sendable (String) -> Void
    private let hasFailed = Locked(false)

    /// - Parameters:
    ///   - chain: returns the filters of a stream; `nil`: its audio passes unchanged.
    ///   - onFailure: is called once, when audio passes unchanged because a filter failed, with the reason.
    package init(chain: @escaping @Sendable (Int) -> SoundChain?, onFailure: @escaping @Sendable (String) -> Void) {
        self.chain = chain
        self.onFailure = onFailure
    }

    /// Filters in their initial state, for audio of a stream that begins now.
    ///
    /// - Parameter limiter: the limiter for a sample rate.
    func stage(for stream: Int, limiter: @escaping (Int) -> String = SoundChain.limiter) -> SoundStage? {
        chain(stream).map { chain in SoundStage(chain, limiter: limiter) { [self] in fail($0) } }
    }

    private func fail(_ reason: String) {
        let isFirst = hasFailed.withLock { failed in
            defer { failed = true }
            return !failed
        }
        if isFirst { onFailure(reason) }
    }
}
