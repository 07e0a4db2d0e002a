// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Transfers

/// The folder of an open source on a server, for callers that do not import `Transfers` (see `SourceFolder`).
///
/// Thread-safety: safe. `names` and `bytes` block.
package struct ServedFolder: Sendable {
    /// The URL of the folder, for messages: without user name, password and query. It ends in a slash.
    package var shown: String { folder.url.shown }
    /// The name of the source.
    package var sourceName: [UInt8] { folder.sourceName }
    private let folder: SourceFolder

    init(_ folder: SourceFolder) { self.folder = folder }

    /// The names of the files in the folder and, with some protocols, of its subfolders.
    ///
    /// - Returns: `nil` if the helper of the source cannot list folders.
    /// - Throws: see `SourceFolder.names`.
    package func names(interrupt: InterruptFlag) throws(EngineError) -> [[UInt8]]? {
        try folder.names(interrupt: interrupt)
    }

    /// The URL of a file in the folder, for messages. `nil` if there is none for this name.
    package func shown(_ name: [UInt8]) -> String? { folder.url.beside(name)?.shown }

    /// A whole file of the folder.
    ///
    /// - Throws: see `SourceFolder.bytes`.
    package func bytes(of name: [UInt8], byteLimit: Int64, interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        try folder.bytes(of: name, byteLimit: byteLimit, interrupt: interrupt)
    }
}
