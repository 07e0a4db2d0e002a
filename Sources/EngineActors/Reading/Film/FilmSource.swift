// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A source to be decoded: a plain file, or one that was opened for playback.
package enum FilmSource: Sendable {
    case file(RegularFile)
    case opened(OpenedSource)

    package var file: RegularFile {
        switch self {
        case .file(let file): file
        case .opened(let source): source.file
        }
    }

    /// Opens a new demuxer for the source.
    package func reader(interrupt: InterruptFlag) throws(EngineError) -> SourceReader {
        let edits: FormatContext.Edits? = if case .opened(let source) = self { source.edits } else { nil }
        return try SourceReader(file: file, for: .reading, edits: edits, interrupt: interrupt)
    }
}
