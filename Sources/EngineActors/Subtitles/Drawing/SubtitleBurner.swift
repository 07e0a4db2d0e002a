// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Reading

/// Draws one subtitle track of a session for the segments of its bridged video.
///
/// The pictures of a range are a function of the source, the track and the size. Each call has a `SubtitleDrawing` of
/// its own, and for text thus a process of its own.
///
/// Thread-safety: safe.
package final class SubtitleBurner: SubtitlePictures {
    package let track: SubtitleTrack
    private let decoder: SubtitleDecoder
    private let surroundings: SubtitleDrawing.Surroundings
    private let onFailure: @Sendable (EngineError) -> Void
    private let hasFailed = Locked(false)

    /// - Parameters:
    ///   - decoder: of the session.
    ///   - surroundings: of the session's source.
    ///   - onFailure: called once, when the pictures of a range cannot be drawn, so that its frames stay without
    ///     subtitles.
    package init(
        _ track: SubtitleTrack,
        by decoder: SubtitleDecoder,
        in surroundings: SubtitleDrawing.Surroundings,
        onFailure: @escaping @Sendable (EngineError) -> Void
    ) {
        self.track = track
        self.decoder = decoder
        var surroundings = surroundings
        surroundings.sharedFonts = SharedFonts()
        self.surroundings = surroundings
        self.onFailure = onFailure
    }

    package func pictures(in range: MediaTimeRange, width: Int, height: Int) async -> [DrawnPicture] {
        do throws(EngineError) {
            let pictures = try await drawingTurns.with { _ throws(EngineError) in try await draw(range, width, height) }
            // Cancelled before its turn.
            return pictures ?? []
        } catch {
            guard error.code != .cancelled else { return [] }
            let isFirst = hasFailed.withLock { hasFailed in
                defer { hasFailed = true }
                return !hasFailed
            }
            if isFirst { onFailure(error) }
            return []
        }
    }

    private func draw(_ range: MediaTimeRange, _ width: Int, _ height: Int) async throws(EngineError) -> [DrawnPicture]
    {
        let origin = surroundings.origin
        var wanted = CueRequest(.session(nil))
        wanted.choice = .id(track.id)
        wanted.range = MediaTimeRange(start: range.start + origin, end: range.end + origin)
        let sides = DrawingRequest.sides
        var request = DrawingRequest(
            wanted,
            width: min(max(width, sides.lowerBound), sides.upperBound),
            height: min(max(height, sides.lowerBound), sides.upperBound)
        )
        request.isForVideo = true
        let cues = SessionCues(
            SubtitleDrawing.cues(for: request),
            of: [track],
            header: track.isText ? try await decoder.header(of: track) : "",
            by: decoder
        )
        let drawing = SubtitleDrawing(request, in: surroundings, cues)
        let result = await PlaybackPressure.$isPartOfPlayback.withValue(true) {
            () async -> Result<[DrawnPicture], EngineError> in
            var pictures: [DrawnPicture] = []
            do throws(EngineError) {
                while let batch = try await drawing.next() { pictures += batch.pictures }
            } catch {
                return .failure(error)
            }
            return .success(pictures)
        }
        return try result.get().map { picture in
            DrawnPicture(start: picture.start - origin, end: picture.end.map { $0 - origin }, images: picture.images)
        }
    }
}

/// Lets the drawings for videos take turns, instead of failing when too many are under way: a segment would then lack
/// its subtitles. Four at a time, because each process may use a gigabyte.
private let drawingTurns = Turns<Void>(count: 4) { _ in }
