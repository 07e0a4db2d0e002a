// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The names of the files in a folder, from the listing that its server or helper sends. Pure.
///
/// Names that a file cannot have, or that would lead out of the folder, are left out: empty ones, `.`, `..`, and those
/// with slashes or control characters. Names need not be UTF-8.
enum FolderListing {
    /// The maximum number of names.
    static let nameLimit = 100_000

    enum Failure: Error, Hashable, CustomStringConvertible {
        case tooMany
        case xml(XMLDocument.Failure)
        /// The document is not the answer to a PROPFIND.
        case foreign

        var description: String {
            switch self {
            case .tooMany: "the folder has more than \(FolderListing.nameLimit) entries"
            case .xml(let failure): "the answer is invalid: \(failure)"
            case .foreign: "the answer is not a DAV:multistatus document"
            }
        }
    }

    /// The names in a list in which each is followed by `end`. A line feed as the end may have a carriage return
    /// before it.
    static func names(endedBy end: UInt8, in list: [UInt8]) throws(Failure) -> [[UInt8]] {
        var names = Names()
        for var name in list.split(separator: end) {
            if end == lineFeed, name.last == carriageReturn { name.removeLast() }
            try names.add(Array(name))
        }
        return names.found
    }

    /// The names in the answer to a PROPFIND with depth 1 (RFC 4918 §14.16).
    ///
    /// - Parameter folder: the path of the folder, without percent escapes. It ends in a slash. Resources that are not
    ///   directly in it are left out.
    static func names(inMultistatus document: [UInt8], of folder: [UInt8]) throws(Failure) -> [[UInt8]] {
        var reader = MultistatusReader()
        do throws(XMLDocument.Failure) {
            try XMLDocument.read(document) { reader.take($0) }
        } catch {
            throw .xml(error)
        }
        guard reader.isMultistatus else { throw .foreign }
        if reader.hasMore { throw .tooMany }
        var names = Names()
        for reference in reader.files {
            guard let path = path(of: reference), path.starts(with: folder) else { continue }
            try names.add(Array(path[folder.count...]))
        }
        return names.found
    }

    /// The path of a URL or of an absolute path, without percent escapes.
    private static func path(of reference: String) -> [UInt8]? {
        let place =
            reference.firstRange(of: "://").map { reference[$0.upperBound...].drop { $0 != "/" } } ?? reference[...]
        return PercentEscapes.decoded(place.utf8)
    }

    private struct Names {
        private(set) var found: [[UInt8]] = []

        mutating func add(_ name: [UInt8]) throws(Failure) {
            guard FolderListing.isName(name) else { return }
            guard found.count < FolderListing.nameLimit else { throw .tooMany }
            found.append(name)
        }
    }

    private static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name != [dot] && name != [dot, dot]
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != slash }
    }

    private static let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
}

/// Collects the references to files in a multistatus document. Elements are recognised by their place in the document
/// and their local name; everything else is skipped.
private struct MultistatusReader {
    /// The size limit of a reference, in bytes.
    private static let referenceLimit = 4096
    private static let typePath = ["multistatus", "response", "propstat", "prop", "resourcetype"]

    private(set) var isMultistatus = false
    /// Whether the document has more files than `FolderListing.nameLimit`.
    private(set) var hasMore = false
    private(set) var files: [String] = []
    /// The names of the open elements, from the outermost to the innermost that can matter.
    private var path: [String] = []
    /// The number of open elements, including those that cannot matter.
    private var depth = 0
    private var reference = ""
    /// Whether the resource is a folder, or its reference is too long.
    private var isSkipped = false

    mutating func take(_ event: XMLEvent) {
        switch event {
        case .start(let name, _):
            if depth == path.count, depth <= Self.typePath.count { path.append(name) }
            depth += 1
            began()
        case .text(let text):
            guard depth == 3, path == ["multistatus", "response", "href"] else { return }
            reference += text
            if reference.utf8.count > Self.referenceLimit { (reference, isSkipped) = ("", true) }
        case .end:
            if depth == 2, path == ["multistatus", "response"] { ended() }
            if depth == path.count { path.removeLast() }
            depth -= 1
        }
    }

    private mutating func began() {
        guard depth == path.count else { return }
        switch depth {
        case 1: isMultistatus = path == ["multistatus"]
        case 2: (reference, isSkipped) = ("", false)
        case 6: if path == Self.typePath + ["collection"] { isSkipped = true }
        default: break
        }
    }

    private mutating func ended() {
        guard !isSkipped, !reference.isEmpty else { return }
        if files.count < FolderListing.nameLimit { files.append(reference.trimmed) } else { hasMore = true }
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else {
            return ""
        }
        return String(self[first...last])
    }
}
