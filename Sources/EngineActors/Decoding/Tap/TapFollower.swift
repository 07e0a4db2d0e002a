// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Tracks the playhead, the selected audio stream and the source of a tap's session.
///
/// Thread-safety: safe. Records changes as they happen, and wakes the tap.
package final class TapFollower: EngineObserver {
    struct View: Sendable {
        var anchor: PositionAnchor
        var stream: Int?
        /// Identifies the source.
        var url: String
        /// How many times the playhead has jumped.
        var jumps: UInt64 = 0
        /// The position to which the playhead last jumped, or at which it last stood still.
        var landing: MediaTime?
        var isClosed = false
    }

    /// If a renderer's playhead deviates by more than this from its anchor, it has jumped.
    private static let tolerance = MediaTime.seconds(0.25)

    let session: SessionID
    let changes = ChangeSignal()
    private let view: Locked<View>

    package init(_ state: SessionState) {
        session = state.id
        var view = View(anchor: state.position, stream: state.selectedAudio, url: state.url)
        if state.position.rate == 0 { view.landing = state.position.position }
        self.view = Locked(view)
    }

    var now: View { view.withLock { $0 } }

    package func receive(_ change: EngineChange) {
        switch change {
        case .changed(let state, _):
            guard state.id == session else { return }
            view.withLock { $0.take(state, within: Self.tolerance) }
        case .seeked(let id, let event):
            guard id == session, event.stage == .began else { return }
            view.withLock { $0.jumps &+= 1 }
        case .closed(let id, _):
            guard id == session else { return }
            view.withLock { $0.isClosed = true }
        case .noticed, .cued, .defaultSession: return
        }
        changes.signal()
    }
}

extension TapFollower.View {
    fileprivate mutating func take(_ state: SessionState, within tolerance: MediaTime) {
        let expected = anchor.position(at: state.position.monotonicNanoseconds)
        let distance = state.position.position - expected
        let isJump = distance > tolerance || .zero - distance > tolerance || state.url != url
        if isJump { jumps &+= 1 }
        if isJump || state.position.rate == 0 { landing = state.position.position }
        anchor = state.position
        stream = state.selectedAudio
        url = state.url
    }
}
