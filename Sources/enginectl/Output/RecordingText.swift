// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Describes a recording for people to read. Pure.
enum RecordingText {
    /// For example `recording 1:02:03, 1.2 GB, from 0:10, to /films/film.mp4`.
    static func line(_ recording: RecordingState) -> String {
        let size = "\(Words.time(recording.duration)), \(Words.bytes(UInt64(clamping: recording.byteCount)))"
        let word =
            switch recording.phase {
            case .running: "recording"
            case .ended: "recorded"
            case .failed: "failed after"
            }
        return Words.plain("\(word) \(size), from \(Words.time(recording.start)), to \(recording.path)")
    }

    static func lines(_ recording: RecordingState?) -> [String] {
        guard let recording else { return ["not recorded"] }
        let others = (recording.earlierPaths + recording.subtitlePaths).map { Words.plain("  and \($0)") }
        let error = recording.error.map { [Words.plain("  because \($0)")] } ?? []
        return [line(recording)] + others + error
    }
}
