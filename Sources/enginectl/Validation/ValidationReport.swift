// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON

internal import Packaging
internal import Validation

/// The result of `validate`.
struct ValidationReport {
    struct Playlist {
        var uri: String
        var segments = 0
        var duration = 0.0
        var byteCount = 0
        var peakBitRate = 0.0
        var decodedFrames = 0
        /// The number of distinct subtitle cues.
        var cues = 0
    }

    private static let problemLimit = 1000

    let source: String
    var playlists: [Playlist] = []
    private(set) var problems: [ValidationProblem] = []
    private(set) var droppedProblems = 0

    init(source: String) { self.source = source }

    mutating func add(_ found: [ValidationProblem]) {
        let room = max(0, Self.problemLimit - problems.count)
        problems += found.prefix(room)
        droppedProblems += max(0, found.count - room)
    }

    var lines: [String] {
        var lines = [source]
        for playlist in playlists {
            let decoded = playlist.decodedFrames > 0 ? ", \(playlist.decodedFrames) frames decoded" : ""
            let cues = playlist.cues > 0 ? ", \(Words.count(playlist.cues, "cue"))" : ""
            lines.append(
                "  \(playlist.uri): \(Words.count(playlist.segments, "segment")), "
                    + "\(Words.fixed(playlist.duration, places: 3)) s, \(Words.bytes(playlist.byteCount)), "
                    + "peak \(Words.bitRate(Int(playlist.peakBitRate)))\(decoded)\(cues)"
            )
        }
        for problem in problems { lines.append("  ✗ \(problem.subject): \(problem.message) [\(problem.rule)]") }
        let count = problems.count + droppedProblems
        lines.append(count == 0 ? "no problems" : Words.count(count, "problem"))
        return lines.map(Words.plain)
    }

    var json: JSON {
        .object(
            ("source", .string(source)),
            ("valid", .bool(problems.isEmpty)),
            ("playlists", .array(playlists.map { Self.json($0) })),
            ("problems", .array(problems.map { Self.json($0) })),
            ("problems_dropped", .integer(droppedProblems))
        )
    }

    private static func json(_ playlist: Playlist) -> JSON {
        .object(
            ("uri", .string(playlist.uri)),
            ("segments", .integer(playlist.segments)),
            ("duration", .number(playlist.duration)),
            ("byte_count", .integer(playlist.byteCount)),
            ("peak_bit_rate", .integer(Int(playlist.peakBitRate))),
            ("decoded_frames", .integer(playlist.decodedFrames)),
            ("cues", .integer(playlist.cues))
        )
    }

    private static func json(_ problem: ValidationProblem) -> JSON {
        .object(
            ("rule", .string(problem.rule)),
            ("subject", .string(problem.subject)),
            ("message", .string(problem.message))
        )
    }
}
