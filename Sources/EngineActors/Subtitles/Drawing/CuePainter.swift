// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Makes pictures of cues of one kind.
protocol CuePainter: AnyObject {
    /// Adds a cue. Cues arrive in the order of their start.
    ///
    /// - Returns: whether the picture of the cue depends on the time.
    func add(_ cue: Cue) -> Bool

    /// Lets lines that are on screen take their places, for the next picture.
    func place(at time: MediaTime) throws(EngineError)

    /// The picture of one moment: images that do not overlap.
    ///
    /// - Returns: `nil` if the picture is the one that was returned last.
    func paint(at time: MediaTime) throws(EngineError) -> [CueImage]?
}

/// Shows bitmap cues as they are.
final class ImagePainter: CuePainter {
    private var cues: [Cue] = []
    private var shown: [Cue]?

    func add(_ cue: Cue) -> Bool {
        cues.append(cue)
        return false
    }

    func place(at time: MediaTime) {}

    func paint(at time: MediaTime) -> [CueImage]? {
        cues.removeAll { $0.end.map { $0 <= time } ?? false }
        let found = cues.filter { $0.isOn(at: time) }
        guard found != shown else { return nil }
        shown = found
        return found.compactMap { if case .image(let image) = $0.content { image } else { nil } }
    }
}
