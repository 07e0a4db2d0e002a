// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides the target of a seek from the positions that the source can play. Pure.
struct SeekTarget {
    /// The first position that can be read. Above zero only for a source whose window slides.
    let start: MediaTime
    /// The end of the source; the end of the announced segments while its length is unknown.
    let end: MediaTime
    /// The position at the target latency behind the live edge. `nil` unless the source is live.
    let live: MediaTime?
    /// The latest keyframe at or before a position.
    let keyframe: (MediaTime) -> MediaTime

    /// The position that a seek requests. It may lie outside the timeline.
    func requested(_ target: SeekCommand.Target, from playhead: MediaTime) -> MediaTime {
        target.position(from: playhead) ?? (target == .live ? live ?? end : end)
    }

    /// The position to which a seek goes. It may lie outside the timeline, except for a keyframe seek.
    func position(of seek: SeekCommand, from playhead: MediaTime) -> MediaTime {
        let requested = requested(seek.target, from: playhead)
        // Media before the window of a source cannot be read again.
        let readable = start > .zero ? max(requested, start) : requested
        switch seek.mode {
        case .exact: return readable
        case .keyframe: return keyframe(min(max(readable, .zero), end))
        }
    }
}

extension SeekCommand.Target {
    /// The position that a seek requests, which may lie outside the timeline. `nil` if it depends on the source.
    func position(from playhead: MediaTime) -> MediaTime? {
        switch self {
        case .position(let position): position
        case .relative(let distance): playhead + distance
        case .begin: .zero
        case .end, .live: nil
        }
    }
}
