// SPDX-License-Identifier: Apache-2.0

/// Common Media Client Data (CTA-5004): how playback is reported to a source's servers, including those they redirect
/// to.
public struct CMCDOptions: Hashable, Sendable, Codable {
    public enum Transport: String, Hashable, Sendable, Codable, CaseIterable {
        /// In the fields `CMCD-Request`, `CMCD-Object`, `CMCD-Status` and `CMCD-Session`.
        case header
        /// In the query argument `CMCD` of the URL.
        case query
    }

    public enum Version: Int, Hashable, Sendable, Codable, CaseIterable {
        case one = 1
        case two = 2
    }

    public var transport = Transport.header
    public var version = Version.one
    /// `sid`. `nil`: a random UUID for each source that is opened.
    public var sessionID: String?
    /// `cid`.
    public var contentID: String?

    public init() {}

    /// - Throws: `invalidArgument` for an identifier that is empty, has more than 64 characters (the limit of
    ///   CTA-5004), or has characters other than printable ASCII.
    package func checked() throws(EngineError) -> CMCDOptions {
        for (name, text) in [("session_id", sessionID), ("content_id", contentID)] {
            guard let text else { continue }
            guard (1...64).contains(text.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .invalid(name, "must have 1 to 64 printable ASCII characters")
            }
        }
        return self
    }
}
