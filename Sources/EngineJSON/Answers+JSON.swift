// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Foundation

// The engine's answers as JSON: docs/enginectl.md.

extension CommandResult {
    /// The state, and whether an argument was clamped.
    package var json: JSON {
        guard case .object(let members) = state.json() else { return .null }
        return .object(members + [JSON.Member(name: "clamped", value: .bool(isClamped))])
    }
}

extension SessionList {
    package var json: JSON {
        .object(
            ("default_session", defaultSession.map { .string($0.rawValue) } ?? .null),
            ("sessions", .array(sessions.map { $0.json() }))
        )
    }
}

extension [HistoryEntry] {
    package var json: JSON { .object(("entries", .array(map(\.json)))) }
}

extension HistoryEntry {
    fileprivate var json: JSON {
        .object(
            ("source", .string(source)),
            ("position_us", .integer(position.microseconds)),
            ("duration_us", duration.map { .integer($0.microseconds) } ?? .null),
            ("finished", .bool(isFinished)),
            ("played_unix_us", .integer(playedUnixMicroseconds))
        )
    }
}

extension Still {
    /// - Parameters:
    ///   - file: where the image was written. `nil`: the image itself is included.
    ///   - hasTime: whether it is the frame of one moment.
    package func json(file: String? = nil, hasTime: Bool = true) -> JSON {
        .object(
            ("file", file.map { .string($0) }),
            ("data", file == nil ? .string(Data(bytes).base64EncodedString()) : nil),
            ("format", .string(format.rawValue)),
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("time_us", hasTime ? .integer(time.microseconds) : nil),
            ("duration_us", hasTime ? duration.map { .integer($0.microseconds) } ?? .null : nil),
            ("byte_count", .integer(bytes.count))
        )
    }
}

extension WebGrant {
    package var json: JSON {
        .object(
            ("url", .string(url)),
            ("api_url", .string(apiURL)),
            ("token", .string(token)),
            ("expires_unix_us", .integer(expiresUnixMicroseconds))
        )
    }
}
