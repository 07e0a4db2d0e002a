// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel

/// A film that is decoded: a file by itself, or one that was opened for playback.
package enum FilmSource: Sendable {
    case file(RegularFile)
    case opened(OpenedSource)

    package var file: RegularFile {
        switch self {
        case .file(let file): file
        case .opened(let source): source.file
        }
    }

    /// A demuxer of its own.
    func reader(interrupt: InterruptFlag) throws(EngineError) -> SourceReader {
        let edits: FormatContext.Edits? = if case .opened(let source) = self { source.edits } else { nil }
        return try SourceReader(file: file, for: .reading, edits: edits, interrupt: interrupt)
    }
}
