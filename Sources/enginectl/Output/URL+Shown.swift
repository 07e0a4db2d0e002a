// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

extension URL {
    /// The URL for messages: without user name, password, query and fragment. For a file, its path.
    var shown: String {
        if isFileURL { return file?.text ?? path }
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "the URL" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "the URL"
    }

    /// The path of a `file:` URL, whose name may be any bytes but NUL; `path` is empty if they are not UTF-8.
    var file: FilePath? {
        let file = FilePath(fileURL: String(absoluteString.prefix { $0 != "?" && $0 != "#" }))
        return file.flatMap { $0.bytes.contains(0) ? nil : $0 }
    }
}
