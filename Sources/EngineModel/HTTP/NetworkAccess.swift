// SPDX-License-Identifier: Apache-2.0

/// The servers that the engine may contact: its setting `network`.
package enum NetworkAccess: Hashable, Sendable {
    case on
    case off
    /// Only these hosts, in lower case. A name with a leading dot stands for all hosts below it.
    case hosts([String])

    /// `on`, `off`, or host names separated by commas. `nil` for anything else.
    package init?(_ text: String) {
        switch text {
        case "on": self = .on
        case "off": self = .off
        default:
            let hosts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
            let isHost = { (host: String) in
                !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
            }
            guard hosts.allSatisfy(isHost) else { return nil }
            self = .hosts(hosts)
        }
    }

    /// - Parameter host: in lower case; an IPv6 address without brackets.
    package func allows(_ host: String) -> Bool {
        switch self {
        case .on: true
        case .off: false
        case .hosts(let hosts): hosts.contains { $0.hasPrefix(".") ? host.hasSuffix($0) : host == $0 }
        }
    }

    /// - Parameter url: for the message.
    /// - Throws: `sourceAccessDenied` if the setting forbids the host.
    package func require(_ host: String, for url: String) throws(EngineError) {
        guard !allows(host) else { return }
        let setting = self == .off ? "is off" : "does not list \(host)"
        throw EngineError(.sourceAccessDenied, "\(url) was not fetched: the setting network \(setting)")
    }
}
