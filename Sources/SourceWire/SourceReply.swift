// SPDX-License-Identifier: Apache-2.0

/// A message from a source to the engine.
package enum SourceReply: Hashable, Sendable {
    /// The answer to `open`.
    case opened(SourceState)
    /// The answer to `state`.
    case state(id: UInt32, SourceState)
    /// The answer to `read`: the source has written this many bytes to the memory.
    case data(id: UInt32, count: Int)
    /// The answer to any request that failed. The id is 0 for `open`.
    case failed(id: UInt32, SourceProblem)
}

/// The properties that a source reports about itself.
package struct SourceState: Hashable, Sendable {
    /// `nil` if unknown.
    package var byteCount: Int64?
    /// Identifies the version of the bytes: if the bytes change, so does the tag. Printable ASCII without spaces and
    /// quotation marks. Empty if the source cannot identify versions.
    package var tag: String
    /// Whether bytes can be read at any offset. If not, the engine reads them once, from start to end.
    package var isSeekable: Bool
    /// The time of the last change, in seconds since 1970. `nil` if unknown: the engine then does not follow the source
    /// while it is written.
    package var modified: Int64?

    package init(byteCount: Int64?, tag: String = "", isSeekable: Bool = true, modified: Int64? = nil) {
        self.modified = modified
        self.byteCount = byteCount
        self.tag = tag
        self.isSeekable = isSeekable
    }
}

/// The reason why a source cannot fulfil a request.
package struct SourceProblem: Error, Hashable, Sendable {
    package enum Kind: UInt32, Hashable, Sendable {
        case notFound = 1
        case accessDenied = 2
        /// The server does not answer. The engine tries again.
        case unreachable = 3
        /// The bytes have changed since the source was opened.
        case changed = 4
        /// The URL names something that cannot be read as bytes, for example a folder.
        case notReadable = 5
        /// A read failed. The engine tries again.
        case failed = 6
        /// The request was cancelled.
        case cancelled = 7
    }

    package let kind: Kind
    /// Shown to users: without user name, password and query of the URL.
    package let text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension SourceReply {
    private enum Kind: UInt32 {
        case opened = 129, state = 130, data = 131, failed = 132
    }

    private enum Flag {
        static let seekable: UInt32 = 1
        static let modified: UInt32 = 2
        static let all = seekable | modified
    }

    private static let tagLimit = 128
    private static let textLimit = 1024

    package var bytes: [UInt8] {
        var writer = SourceWriter()
        switch self {
        case .opened(let state):
            writer.add(Kind.opened.rawValue, 0, sourceProtocolVersion)
            Self.add(state, to: &writer)
        case .state(let id, let state):
            writer.add(Kind.state.rawValue, id, sourceProtocolVersion)
            Self.add(state, to: &writer)
        case .data(let id, let count): writer.add(Kind.data.rawValue, id, UInt32(count))
        case .failed(let id, let problem):
            writer.add(Kind.failed.rawValue, id, problem.kind.rawValue)
            writer.add(String(problem.text.prefix(Self.textLimit / 4)))
        }
        return writer.bytes
    }

    private static func add(_ state: SourceState, to writer: inout SourceWriter) {
        writer.add((state.isSeekable ? Flag.seekable : 0) | (state.modified == nil ? 0 : Flag.modified))
        writer.add(state.byteCount ?? -1)
        writer.add(state.tag)
        if let modified = state.modified { writer.add(modified) }
    }

    package init(_ bytes: [UInt8]) throws(SourceViolation) {
        var reader = SourceReader(bytes)
        let (kind, id) = (try reader.number(), try reader.number())
        switch Kind(rawValue: kind) {
        case .opened: self = .opened(try Self.state(&reader))
        case .state: self = .state(id: id, try Self.state(&reader))
        case .data: self = .data(id: id, count: Int(try reader.number()))
        case .failed:
            let code = try reader.number()
            let text = try reader.text(limit: Self.textLimit)
            guard let problem = SourceProblem.Kind(rawValue: code) else { throw .problem(code) }
            self = .failed(id: id, SourceProblem(problem, text))
        case nil: throw .kind(kind)
        }
        try reader.end()
    }

    private static func state(_ reader: inout SourceReader) throws(SourceViolation) -> SourceState {
        let version = try reader.number()
        guard version == sourceProtocolVersion else { throw .version(version) }
        let flags = try reader.number()
        let byteCount = try reader.long()
        let tag = try reader.text(limit: tagLimit)
        let isSeekable = flags & Flag.seekable != 0
        let modified = flags & Flag.modified != 0 ? try reader.long() : nil
        guard flags & ~Flag.all == 0, (-1..<1 << 62).contains(byteCount),
            !isSeekable || byteCount >= 0, tag.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 })
        else { throw .malformed }
        return SourceState(
            byteCount: byteCount < 0 ? nil : byteCount,
            tag: tag,
            isSeekable: isSeekable,
            modified: modified
        )
    }
}
