// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// Draws the selected subtitle tracks of a session for the frames that the engine decodes, shortly before they are needed.
///
/// Replaced when the selection or the delay changes.
package actor SubtitleFrames: FrameSubtitles {
    private struct Size: Equatable {
        var width = 0
        var height = 0
    }

    /// How long frames wait for their pictures. After a wait has timed out, frames pass without waiting until the
    /// drawing has caught up.
    private static let patience = Duration.seconds(2)

    private let tracks: [any SubtitlePictures]
    private let delay: MediaTime
    private let onLate: @Sendable () -> Void
    private let onCaughtUp: @Sendable () -> Void
    private let changes = ChangeSignal()
    private var windows = DrawnWindows()
    private var drawings: [Int64: Task<Void, Never>] = [:]
    private var size = Size()
    private var hasBeenLate = false
    private var isStopped = false

    /// - Parameters:
    ///   - tracks: from the lowest to the highest.
    ///   - delay: subtitles are shown this much later than their times.
    ///   - onLate: called once, when frames have passed without their subtitles.
    ///   - onCaughtUp: called when subtitles are drawn whose frames have already passed without them.
    package init(
        _ tracks: [any SubtitlePictures],
        delayedBy delay: MediaTime,
        onLate: @escaping @Sendable () -> Void,
        onCaughtUp: @escaping @Sendable () -> Void
    ) {
        (self.tracks, self.delay) = (tracks, delay)
        (self.onLate, self.onCaughtUp) = (onLate, onCaughtUp)
    }

    package func images(at times: [MediaTime], width: Int, height: Int) async -> [[CueImage]] {
        let places = times.map { $0 - delay }
        resize(Size(width: width, height: height))
        request(places)
        let deadline = Deadline(in: Self.patience)
        while !isStopped, !Task.isCancelled, !deadline.hasPassed {
            let seen = changes.signalCount
            guard windows.isWorthWaiting(for: places) else { break }
            await changes.wait(after: seen, until: deadline.nanoseconds)
        }
        let isLate = windows.pass(places)
        if isLate, !hasBeenLate, !isStopped {
            hasBeenLate = true
            onLate()
        }
        return places.map { windows.images(at: $0) }
    }

    /// Ends all drawing. Frames that wait pass at once.
    package func stop() {
        isStopped = true
        endDrawings()
        changes.signal()
    }

    private func endDrawings() {
        for drawing in drawings.values { drawing.cancel() }
        drawings = [:]
    }

    private func resize(_ size: Size) {
        guard size != self.size else { return }
        self.size = size
        endDrawings()
        windows = DrawnWindows()
    }

    private func request(_ places: [MediaTime]) {
        guard !isStopped else { return }
        let change = windows.request(places)
        for window in change.dropped { drawings.removeValue(forKey: window)?.cancel() }
        for window in change.begun {
            // The task ends when the window is drawn. It is cancelled once the window is no longer needed.
            drawings[window] = Task { [size] in await self.draw(window, size) }
        }
    }

    private func draw(_ window: Int64, _ size: Size) async {
        var pictures: [[DrawnPicture]] = []
        for track in tracks {
            guard !Task.isCancelled else { return }
            let range = DrawnWindows.range(of: window)
            pictures.append(await track.pictures(in: range, width: size.width, height: size.height))
        }
        // The result of a cancelled drawing may be incomplete.
        guard !Task.isCancelled else { return }
        drawings[window] = nil
        let wasLate = windows.finish(window, pictures)
        changes.signal()
        if wasLate { onCaughtUp() }
    }
}
