// SPDX-License-Identifier: Apache-2.0

/// A file of subtitles beside a source.
public struct Sidecar: Hashable, Sendable {
    /// An absolute path, or a `file:`, `http:` or `https:` URL.
    public var path: String
    /// What its text is encoded in, by a name that `iconv` knows. Empty: found out.
    public var charset = ""
    /// Empty: as the file says, or its name.
    public var language = ""
    public var title = ""
    /// Sent with the request for a URL, to its host alone. Empty: those of the session.
    public var httpHeaders: [HTTPHeader] = []
    /// Whether its tracks are shown.
    public var isShown = false

    /// No session has more files, and no load names more.
    package static let countLimit = 64
    private static let pathLimit = 4096
    private static let wordLimit = 128

    public init(path: String) { self.path = path }

    /// - Throws: `invalidArgument` for what cannot be meant.
    package func checked() throws(EngineError) -> Sidecar {
        if path.isEmpty { throw .invalid("path", "is empty") }
        if path.utf8.count > Self.pathLimit { throw .invalid("path", "is longer than \(Self.pathLimit) bytes") }
        for (name, word) in [("charset", charset), ("language", language), ("title", title)]
        where word.utf8.count > Self.wordLimit {
            throw .invalid(name, "is longer than \(Self.wordLimit) bytes")
        }
        return self
    }
}
