// SPDX-License-Identifier: Apache-2.0

/// A change of this machine's network that concerns sources on servers.
package enum NetworkChange: Hashable, Sendable {
    case linkDown(String)
    case linkUp(String)
    /// A default route is gone.
    case routeLost
    /// A default route that was gone is back.
    case routeBack
    /// Another route was added, or may have been. Not worth a notice.
    case routeAdded
    /// Changes cannot be watched, for this reason. Pauses between attempts are then not cut short.
    case unwatched(String)

    /// Whether a server that could not be reached may be reached now.
    package var isReturn: Bool {
        switch self {
        case .linkUp, .routeBack, .routeAdded: true
        case .linkDown, .routeLost, .unwatched: false
        }
    }
}

/// Derives network changes from the kernel's messages about links and routes (rtnetlink(7)). Pure.
///
/// The state at the start of the watch is unknown, so only changes are reported. The loopback link and routes within
/// one link are ignored.
package struct NetworkWatch: Sendable {
    private struct Link {
        var name: String
        var isRunning: Bool
    }

    private var links: [UInt32: Link] = [:]
    /// The address families whose default route is gone.
    private var lostRoutes: Set<UInt8> = []

    package init() {}

    /// Call when the kernel has dropped messages: anything may have changed.
    package mutating func lostMessages() -> [NetworkChange] {
        links = [:]
        lostRoutes = []
        return [.routeAdded]
    }

    package mutating func take(_ bytes: [UInt8]) -> [NetworkChange] {
        var changes: [NetworkChange] = []
        var rest = Message(bytes[...])
        while let (type, body) = rest.next() {
            switch type {
            case Message.newLink: takeLink(body, isGone: false, &changes)
            case Message.deletedLink: takeLink(body, isGone: true, &changes)
            case Message.newRoute: takeRoute(body, isGone: false, &changes)
            case Message.deletedRoute: takeRoute(body, isGone: true, &changes)
            default: break
            }
        }
        return changes
    }

    private mutating func takeLink(_ body: ArraySlice<UInt8>, isGone: Bool, _ changes: inout [NetworkChange]) {
        // struct ifinfomsg: family, padding, type, index, flags, change.
        guard body.count >= 16 else { return }
        let (index, flags, changed) = (Message.word(body, 4), Message.word(body, 8), Message.word(body, 12))
        guard flags & Message.loopback == 0 else { return }
        let old = links[index]
        let name = Message.text(3, in: body.dropFirst(16)) ?? old?.name ?? "\(index)"
        let isRunning = !isGone && flags & Message.running == Message.running
        links[index] = isGone ? nil : Link(name: name, isRunning: isRunning)
        // The first message about a link that is down reports no change, unless the message says that IFF_UP or
        // IFF_RUNNING has changed.
        let isChange = changed != .max && changed & Message.running != 0
        switch (old?.isRunning, isRunning) {
        case (true?, false): changes.append(.linkDown(name))
        case (nil, false): if isChange || isGone { changes.append(.linkDown(name)) }
        case (false?, true), (nil, true):
            changes.append(.linkUp(name))
        case (true?, true), (false?, false): break
        }
    }

    private mutating func takeRoute(_ body: ArraySlice<UInt8>, isGone: Bool, _ changes: inout [NetworkChange]) {
        // struct rtmsg: family, length of the destination's and the source's prefix, tos, table, protocol, scope, type.
        let header = Array(body.prefix(8))
        guard header.count == 8, header[4] == Message.mainTable, header[7] == Message.unicast else { return }
        let (family, isDefault) = (header[0], header[1] == 0)
        // Every IPv6 link has a route to its own neighbours.
        if family == 10, let target = Message.attribute(1, in: body.dropFirst(12)), target.prefix(2) == [0xFE, 0x80] {
            return
        }
        guard isGone else {
            changes.append(isDefault && lostRoutes.remove(family) != nil ? .routeBack : .routeAdded)
            return
        }
        if isDefault, lostRoutes.insert(family).inserted { changes.append(.routeLost) }
    }
}

/// Parses messages of netlink(7), which are in this machine's byte order.
private struct Message {
    static let (newLink, deletedLink, newRoute, deletedRoute): (UInt16, UInt16, UInt16, UInt16) = (16, 17, 24, 25)
    /// IFF_UP and IFF_RUNNING.
    static let running: UInt32 = 0x41
    /// IFF_LOOPBACK.
    static let loopback: UInt32 = 0x8
    /// RT_TABLE_MAIN and RTN_UNICAST.
    static let (mainTable, unicast): (UInt8, UInt8) = (254, 1)

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next message: its type, and the bytes after its header.
    mutating func next() -> (type: UInt16, body: ArraySlice<UInt8>)? {
        guard rest.count >= 16 else { return nil }
        let length = Int(Self.word(rest, 0))
        guard length >= 16, length <= rest.count else { return nil }
        let type = Self.half(rest, 4)
        let body = rest.prefix(length).dropFirst(16)
        rest = rest.dropFirst((length + 3) & ~3)
        return (type, body)
    }

    /// The value of an attribute (struct rtattr). `nil` if the attribute is missing or malformed.
    static func attribute(_ type: UInt16, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        while rest.count >= 4 {
            let length = Int(half(rest, 0))
            guard length >= 4, length <= rest.count else { return nil }
            if half(rest, 2) == type { return rest.prefix(length).dropFirst(4) }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return nil
    }

    static func text(_ type: UInt16, in bytes: ArraySlice<UInt8>) -> String? {
        attribute(type, in: bytes).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static func half(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt16 {
        let start = bytes.startIndex + offset
        return UInt16(littleEndian: UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8)
    }

    static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        let start = bytes.startIndex + offset
        return UInt32(littleEndian: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) })
    }
}
