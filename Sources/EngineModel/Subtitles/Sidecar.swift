// SPDX-License-Identifier: Apache-2.0

/// A subtitle file beside a source.
public struct Sidecar: Hashable, Sendable {
    /// An absolute path, a `file:` URL, or the URL of a file on a server.
    public var path: String
    /// The text encoding, by a name that `iconv` knows. Empty: detected.
    public var charset = ""
    /// Empty: taken from the file's content or name.
    public var language = ""
    public var title = ""
    /// Sent with the requests for a URL, to its origin only. Empty: the session's headers.
    public var httpHeaders: [HTTPHeader] = []
    /// Whether its tracks are shown.
    public var isShown = false

    /// The most files per session, and per load.
    package static let countLimit = 64
    private static let wordLimit = 128

    public init(path: String) { self.path = path }

    /// - Throws: `invalidArgument` for an empty path and values that are too long.
    package func checked() throws(EngineError) -> Sidecar {
        if path.isEmpty { throw .invalid("path", "is empty") }
        if path.utf8.count > FilePath.textLimit { throw .invalid("path", "is longer than \(FilePath.textLimit) bytes") }
        for (name, word) in [("charset", charset), ("language", language), ("title", title)]
        where word.utf8.count > Self.wordLimit {
            throw .invalid(name, "is longer than \(Self.wordLimit) bytes")
        }
        return self
    }
}
