// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
package import Packaging
internal import Reading

/// The location of a subtitle file.
package enum SidecarPlace: Hashable, Sendable {
    /// An absolute path.
    case file(String)
    case web(WebAddress)

    /// - Throws: `invalidArgument` for a string that is neither an absolute path nor a supported URL.
    init(_ path: String) throws(EngineError) {
        if let address = WebAddress(path) {
            self = .web(address)
            return
        }
        do throws(EngineError) {
            self = .file(try SourceFile.path(of: path))
        } catch {
            let message = "\(path) is neither an absolute path nor a file:, http: or https: URL"
            throw EngineError(.invalidArgument, message, field: "path")
        }
    }

    /// The last component.
    var name: String {
        switch self {
        case .file(let path): Self.name(ofPath: path)
        case .web(let address): address.name
        }
    }

    package static func name(ofPath path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The location for messages and clients, without the user and password of a URL.
    var shown: String {
        switch self {
        case .file(let path): path
        case .web(let address): address.shown
        }
    }

    var isLocal: Bool { if case .file = self { true } else { false } }

    /// The location of the bitmaps for a VobSub index: the same name with `.sub`.
    var pictures: SidecarPlace? {
        for (index, pictures) in [(".idx", ".sub"), (".IDX", ".SUB")] {
            switch self {
            case .file(let path) where path.hasSuffix(index): return .file("\(path.dropLast(index.count))\(pictures)")
            case .web(let address):
                if let other = address.replacingExtension(index, by: pictures) { return .web(other) }
            case .file: continue
            }
        }
        return nil
    }
}
