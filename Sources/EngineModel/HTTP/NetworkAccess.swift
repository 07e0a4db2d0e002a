// SPDX-License-Identifier: Apache-2.0

/// The servers that the engine may contact: its setting `network`.
package enum NetworkAccess: Hashable, Sendable {
    case on
    case off
    /// Only these hosts, in lower case. A name with a leading dot stands for all hosts below it.
    case hosts([String])

    /// `on`, `off`, or hosts separated by commas: names, or addresses as in URLs but without brackets. `nil` for any
    /// other text.
    package init?(_ text: String) {
        switch text {
        case "on": self = .on
        case "off": self = .off
        default:
            let hosts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
            guard hosts.allSatisfy(Self.isHost) else { return nil }
            self = .hosts(hosts)
        }
    }

    /// Whether an entry of the list can match a host. `on` and `off` are refused in a list: they are probably mistakes,
    /// which would go unnoticed.
    private static func isHost(_ text: String) -> Bool {
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        guard text != "on", text != "off", !name.isEmpty, !name.hasPrefix(".") else { return false }
        // A single colon precedes a port. Every IPv6 address has at least two.
        if text.contains(":") {
            let address = text.prefix { $0 != "%" }
            return address.count { $0 == ":" } > 1 && address.allSatisfy { $0.isHexDigit || ":.".contains($0) }
        }
        return name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._".utf8.contains($0)
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
        throw EngineError(.sourceAccessDenied, "\(url) was not fetched: the network setting \(setting)")
    }
}
