// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension URL {
    /// The URL for messages: without user name, password and query. For a file, its path.
    var shown: String {
        if isFileURL { return path }
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "the URL" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "the URL"
    }
}
