// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address: 4 or 16 bytes in network order.
package struct IPAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Parses the text forms of RFC 4291 §2.2, and IPv4 as four decimal numbers. A zone (`%eth0`) is ignored.
    package init?(_ text: String) {
        let text = text.prefix { $0 != "%" }
        if text.contains(":") {
            guard let bytes = Self.parseIPv6(text) else { return nil }
            self.bytes = bytes
        } else {
            guard let bytes = Self.parseIPv4(text) else { return nil }
            self.bytes = bytes
        }
    }

    private init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    private static func parseIPv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func parseIPv6(_ text: Substring) -> [UInt8]? {
        let sides = text.split(separator: "::", omittingEmptySubsequences: false)
        guard (1...2).contains(sides.count), let head = groups(sides[0]) else { return nil }
        guard sides.count == 2 else { return head.count == 16 ? head : nil }
        guard let tail = groups(sides[1]), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if part.contains(".") {
                guard index == parts.count - 1, let embedded = parseIPv4(part) else { return nil }
                bytes += embedded
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.first != 0x2B, let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }

    /// The IPv4 address embedded in an IPv6 address: mapped, compatible, translated (RFC 6052), 6to4 or Teredo.
    var embedded: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes[0..<10].allSatisfy({ $0 == 0 }) {
            if bytes[10] == 0xFF, bytes[11] == 0xFF { return IPAddress(bytes[12...]) }
            // ::1 and :: embed no IPv4 address.
            if bytes[10] == 0, bytes[11] == 0, bytes[12..<15].contains(where: { $0 > 0 }) || bytes[15] > 1 {
                return IPAddress(bytes[12...])
            }
        }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]), bytes[4..<12].allSatisfy({ $0 == 0 }) {
            return IPAddress(bytes[12...])
        }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes[2..<6]) }
        if bytes.starts(with: [0x20, 0x01, 0x00, 0x00]) { return IPAddress(bytes[12...].lazy.map { ~$0 }) }
        return nil
    }

    /// The embedded IPv4 address if there is one, so that both notations compare equal; otherwise the address itself.
    var plain: IPAddress { embedded ?? self }

    private func isWithin(_ prefix: [UInt8], _ bits: Int) -> Bool {
        var left = bits
        for (index, own) in bytes.enumerated() where left > 0 {
            let other = index < prefix.count ? prefix[index] : 0
            let mask = left >= 8 ? 0xFF : UInt8(truncatingIfNeeded: 0xFF00 >> left)
            if own & mask != other & mask { return false }
            left -= 8
        }
        return left <= 0
    }

    package var scope: AddressScope {
        if let embedded { return embedded.scope }
        return bytes.count == 4 ? ipv4Scope : ipv6Scope
    }

    private var ipv4Scope: AddressScope {
        if bytes == [169, 254, 169, 254] { return .forbidden }
        for (prefix, bits, scope) in Self.ipv4Ranges where isWithin(prefix, bits) { return scope }
        return .public
    }

    private var ipv6Scope: AddressScope {
        if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 ? .loopback : .forbidden }
        // The IPv6 address of a cloud metadata service, which returns the machine's credentials.
        if bytes == [0xFD, 0x00, 0x0E, 0xC2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54] { return .forbidden }
        for (prefix, bits, scope) in Self.ipv6Ranges where isWithin(prefix, bits) { return scope }
        return .public
    }

    /// IANA's special-purpose address registries; the first match applies.
    private static let ipv4Ranges: [([UInt8], Int, AddressScope)] = [
        ([0], 8, .forbidden), ([127], 8, .loopback), ([169, 254], 16, .linkLocal),
        ([10], 8, .private), ([172, 16], 12, .private), ([192, 168], 16, .private), ([100, 64], 10, .private),
        ([192, 0, 0], 24, .private), ([198, 18], 15, .private),
        ([224], 4, .forbidden), ([240], 4, .forbidden),
    ]
    private static let ipv6Ranges: [([UInt8], Int, AddressScope)] = [
        ([0xFE, 0x80], 10, .linkLocal), ([0xFE, 0xC0], 10, .private), ([0xFC, 0x00], 7, .private),
        ([0xFF, 0x00], 8, .forbidden), ([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48, .private),
        ([0x01, 0x00], 64, .forbidden),
    ]
}

/// The scope of an address: the places from which it can be reached. Addresses reachable from fewer places have lower
/// values.
package enum AddressScope: Int, Comparable, Sendable {
    /// Addresses that the engine never connects to: unspecified, multicast, reserved, and cloud metadata services.
    case forbidden
    case loopback
    case linkLocal
    case `private`
    case `public`

    package static func < (left: AddressScope, right: AddressScope) -> Bool { left.rawValue < right.rawValue }
}
