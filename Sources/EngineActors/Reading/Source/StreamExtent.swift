// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The duration of a source as libavformat computes it from its streams (`update_stream_timings`). Pure.
struct StreamExtent {
    /// How far subtitles and data may extend the times of audio and video. libavformat ignores those that extend them
    /// further.
    private static let secondaryLimit = MediaTime.seconds(1)

    private struct Bounds {
        var start: MediaTime?
        var end: MediaTime?
        var longest: MediaTime?

        mutating func add(_ start: MediaTime?, lasting duration: MediaTime?) {
            if let duration { longest = max(longest ?? duration, duration) }
            guard let start else { return }
            self.start = min(self.start ?? start, start)
            guard let duration else { return }
            end = max(end ?? start + duration, start + duration)
        }
    }

    private var primary = Bounds()
    /// Of subtitles and data.
    private var secondary = Bounds()

    /// - Parameter duration: `nil` if it is unknown.
    mutating func add(_ info: StreamInfo, lasting duration: MediaTime?) {
        add(info.kind, from: info.startTime.map { MediaTime($0, in: info.timeBase) }, lasting: duration)
    }

    /// - Parameters:
    ///   - start: `nil` if it is unknown.
    ///   - duration: `nil` if it is unknown.
    mutating func add(_ kind: StreamKind, from start: MediaTime?, lasting duration: MediaTime?) {
        switch kind {
        case .subtitle, .data: secondary.add(start, lasting: duration)
        case .video, .audio, .coverArt, .attachment: primary.add(start, lasting: duration)
        }
    }

    /// From the earliest start to the latest end, but not shorter than the longest stream. `nil` if it is unknown.
    var duration: MediaTime? {
        let start = Self.earlier(primary.start, or: secondary.start)
        let end = Self.later(primary.end, or: secondary.end)
        let longest = Self.later(primary.longest, or: secondary.longest)
        guard let start, let end, end >= start else { return longest }
        return max(longest ?? end - start, end - start)
    }

    private static func earlier(_ primary: MediaTime?, or secondary: MediaTime?) -> MediaTime? {
        guard let primary, let secondary else { return primary ?? secondary }
        return secondary < primary && primary - secondary < secondaryLimit ? secondary : primary
    }

    private static func later(_ primary: MediaTime?, or secondary: MediaTime?) -> MediaTime? {
        guard let primary, let secondary else { return primary ?? secondary }
        return primary < secondary && secondary - primary < secondaryLimit ? secondary : primary
    }
}
