// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineRuntime
internal import Foundation

/// Keeps tokens for the next process, in a file of mode 0600, so that an open page keeps working after a restart of the
/// engine.
///
/// The actor has its own thread.
actor TokenFile {
    private static let sizeLimit = 1 << 20

    private let executor = ThreadExecutor(name: "web-tokens")
    private let path: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(path: String) { self.path = path }

    /// The grants in the file. Empty if the file is missing or damaged, because users can easily make a new token.
    static func read(_ path: String) -> [WebTokens.Grant] {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= sizeLimit else { return [] }
        do throws(JSONError) {
            guard case .array(let values)? = try JSON(parsing: Array(bytes))["tokens"] else { return [] }
            return values.prefix(WebTokens.limit).compactMap(WebTokens.Grant.init)
        } catch {
            return []
        }
    }

    /// Replaces the file, or removes it when there is no token.
    ///
    /// - Parameter grants: called on the actor's thread, so that the last of several concurrent writes saves the newest
    ///   grants.
    func write(_ grants: @Sendable () -> [WebTokens.Grant]) throws {
        let grants = grants()
        guard !grants.isEmpty else { return try remove(path) }
        let text = JSON.object(("tokens", .array(grants.map(\.json)))).text
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let new = "\(path).new"
        // An existing file would keep its mode.
        try remove(new)
        let isMade = FileManager.default.createFile(
            atPath: new,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
        // If the process ends between these two steps, only tokens are lost.
        try remove(path)
        try FileManager.default.moveItem(atPath: new, toPath: path)
    }

    private func remove(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}

extension WebTokens.Grant {
    /// Without the ticket, which is valid for a few minutes only.
    fileprivate var json: JSON { .object(("token", .string(token)), ("expires_unix_us", .integer(expiry))) }

    fileprivate init?(_ json: JSON) {
        guard let token = json["token"]?.string, token.utf8.count >= 32,
            case .whole(let expiry)? = json["expires_unix_us"]
        else { return nil }
        self.init(token: token, ticket: nil, ticketExpiry: 0, expiry: expiry)
    }
}
