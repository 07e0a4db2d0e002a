// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// The start of a source's timeline on the source's own clock. Subtracting the origin converts source times to
/// presentation times.
package struct TimelineOrigin: Hashable, Sendable {
    /// Whether the origin skips the samples that decoders discard at the start of an audio stream
    /// (`StreamInfo.initialPadding`).
    package enum Padding {
        /// Audio starts after them. For a source that is examined for playback.
        case skipped
        /// Audio starts with them. For a source without a stream that can be served, because decoders return these
        /// samples.
        case presented
    }

    /// The first packet times of one stream.
    package struct Start {
        private let info: StreamInfo
        private let times: [Int64]

        /// - Parameter times: in ticks of the stream and in file order.
        package init(_ info: StreamInfo, times: [Int64]) {
            self.info = info
            self.times = times
        }

        /// When the stream is first presented, on the source's clock. `nil` when no packet states a time.
        fileprivate func time(_ padding: Padding) -> MediaTime? {
            // The first pictures of a video may not be in presentation order.
            guard let first = info.kind == .video ? times.min() : times.first else { return nil }
            let isPadded = padding == .skipped && info.kind == .audio && first < 0
            return MediaTime(first &+ (isPadded ? info.initialPadding : 0), in: info.timeBase)
        }
    }

    /// On the source's clock.
    package let time: MediaTime

    package static let zero = TimelineOrigin(.zero)

    package init(_ time: MediaTime) { self.time = time }

    /// The timeline starts where the first picture or audio is presented, but never before the container's own zero:
    /// priming samples lie before it. MPEG-TS has no such zero, and libavformat gives negative times to packets before
    /// a wrap of its clock.
    package init(of starts: [Start], in container: ContainerFormat, padding: Padding) {
        let first = starts.compactMap { $0.time(padding) }.min() ?? .zero
        time = container.isMPEGTS ? first : max(.zero, first)
    }

    /// In ticks of a stream.
    package func ticks(in base: TimeBase) -> Int64 { time.ticks(in: base) }

    /// Converts a time on the source's clock to the timeline.
    package func presentation(of source: MediaTime) -> MediaTime { source - time }

    /// Converts a time in ticks of a stream, on the source's clock, to the timeline.
    package func presentation(of ticks: Int64, in base: TimeBase) -> MediaTime { MediaTime(ticks, in: base) - time }

    /// Converts a time on the timeline to the source's clock.
    package func source(of presentation: MediaTime) -> MediaTime { presentation + time }

    /// The last tick of a stream at or before a time on the timeline. Ticks are compared as `MediaTime`, because the
    /// times of pictures are rounded to microseconds in the same way.
    package func lastTick(atOrBefore presentation: MediaTime, in base: TimeBase) -> Int64 {
        let wanted = source(of: presentation)
        let near = wanted.ticks(in: base, rounding: .down)
        return MediaTime(near &+ 1, in: base) <= wanted ? near &+ 1 : near
    }
}
