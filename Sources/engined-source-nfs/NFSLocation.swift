// SPDX-License-Identifier: Apache-2.0

internal import SourceWire

/// The file or folder that a URL `nfs://HOST[:PORT]/FOLDER/NAME[?ARGUMENTS]` names.
struct NFSLocation: Hashable {
    /// The URL for libnfs. Its arguments are those of the given URL; also `version=4` if they name no version, and the
    /// port if there is one.
    let server: String
    /// The folder to mount and the name of the file in it, without percent-encoding, in any encoding. The name is empty
    /// if the URL names a folder.
    let folder: [UInt8]
    let name: [UInt8]

    /// Returns `nil` unless the URL of the request has a path with valid escapes and no NUL.
    init?(_ request: OpenRequest) {
        let url = request.url
        guard let path = request.path, !path.contains(0), let end = path.lastIndex(of: UInt8(ascii: "/")),
            let start = url.firstRange(of: "://")?.upperBound
        else { return nil }
        let parts = url[start...].split(separator: "?", maxSplits: 1)
        guard let place = parts.first, let slash = place.firstIndex(of: "/") else { return nil }
        let authority = place[..<slash]
        let isBare = authority.hasSuffix("]")
        let colon = isBare ? nil : authority.lastIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)]
        folder = Array(path[..<max(end, 1)])
        name = Array(path[(end + 1)...])
        var arguments = parts.count > 1 ? parts[1].split(separator: "&") : []
        if !arguments.contains(where: { $0.hasPrefix("version=") }) { arguments.append("version=4") }
        if let colon { arguments.append("nfsport=\(authority[colon...].dropFirst())") }
        server = "nfs://\(host)/?\(arguments.joined(separator: "&"))"
    }
}
