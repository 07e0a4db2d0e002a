// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// A file with the user names and passwords for servers: one URL with both on each line, such as
/// `sftp://me:secret@nas.local`. Blank lines, lines that start with `#`, and a byte order mark are ignored.
///
/// The file is read whenever a source is opened, so that a change applies at once.
struct CredentialFile: Sendable {
    let path: String

    /// The credentials for a URL that has no password.
    ///
    /// - Throws: `sourceAccessDenied` if the file cannot be read, other users can read it, or a line is malformed.
    func credentials(for url: ResourceURL) throws(EngineError) -> HTTPCredentials? {
        let text: String
        do throws(PrivateFile.Failure) { text = try PrivateFile.text(path) } catch { throw refusal(error) }
        return try Self.credentials(for: url, in: text, of: path)
    }

    /// The first entry for the server; if the URL names a user, the first for that user on the server. Pure.
    ///
    /// - Parameter path: the path of the file, for messages. They never contain a line of it.
    static func credentials(
        for url: ResourceURL,
        in text: String,
        of path: String
    ) throws(EngineError) -> HTTPCredentials? {
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            let entry: ResourceURL
            do throws(ResourceURL.Failure) {
                guard words.count == 1 else { throw .malformed }
                entry = try ResourceURL(ofSource: String(word))
            } catch {
                throw EngineError(
                    .sourceAccessDenied,
                    "line \(number + 1) of the credentials in \(path) is not a URL of a server"
                )
            }
            guard entry.schemeName == url.schemeName, entry.origin == url.origin,
                case .basic(let user, _) = entry.credentials
            else { continue }
            if case .basic(let wanted, _) = url.credentials, wanted != user { continue }
            return entry.credentials
        }
        return nil
    }

    private func refusal(_ failure: PrivateFile.Failure) -> EngineError {
        let problem =
            switch failure {
            case .system(let error): "cannot be read: \(error)"
            case .notRegular: "are not in a regular file"
            case .open(let mode): "is open to other users (mode \(String(mode, radix: 8))); run chmod 600"
            case .foreign: "are in a file that belongs to another user"
            case .tooLarge: "are in a file of more than 1 MiB"
            }
        return EngineError(.sourceAccessDenied, "the credentials in \(path) \(problem)")
    }
}
