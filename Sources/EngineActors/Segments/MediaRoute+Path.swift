// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Reading

extension MediaRoute {
    /// The error that explains why a resource does not exist, if the source has the track but only the software path
    /// plays it. Otherwise `nil`.
    package func refusal(_ source: OpenedSource) -> EngineError? {
        let track: Int
        switch self {
        case .master, .keyframePlaylist, .keyframe: track = 0
        case .playlist(let place, _, _), .initSegment(let place, _), .segment(let place, _, _), .part(let place, _, _):
            track = place
        case .subtitlePlaylist, .subtitleSegment, .storyboard, .storyboardSheet, .cover: return nil
        }
        let stream = source.tracks[track].stream
        guard !source.tracks[track].isServed else { return nil }
        return EngineError(
            .pathConflict,
            "stream \(stream.index) of \(source.file.path) has no segments: only the software path plays it",
            cause: source.media.streams[stream.index].route.reason
        )
    }
}
