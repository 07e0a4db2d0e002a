// SPDX-License-Identifier: Apache-2.0

/// A change of this machine's network that concerns sources on servers.
package enum NetworkChange: Hashable, Sendable {
    case linkDown(String)
    case linkUp(String)
    /// The last default route of an address family is gone, or the last route of a machine without a default route.
    case routeLost
    /// After a loss, there is such a route again.
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
/// The state of the links at the start of the watch is unknown, so only changes are reported. The loopback link and
/// routes to the neighbours of an IPv6 link are ignored. Until the kernel has listed its routes, and if they are too
/// many, any default route counts as the last one of its family.
package struct NetworkWatch: Sendable {
    private struct Link {
        var name: String
        var isRunning: Bool
    }

    private struct Route: Hashable {
        let family: UInt8
        let prefix: UInt8
        let target: [UInt8]
        let metric: UInt32
        /// For IPv6, where routes that differ only in their links are kept apart; otherwise 0.
        let link: UInt32

        var isDefault: Bool { prefix == 0 }
    }

    /// More routes than this are not kept: the machine is a router.
    private static let routeLimit = 4096

    private var links: [UInt32: Link] = [:]
    /// The known routes, each with its link.
    private var routes: [Route: UInt32] = [:]
    /// Whether `routes` are all that exist.
    private var knowsRoutes = false
    /// The routes in the list that the kernel is sending; `nil` while it sends none.
    private var listed: [Route: UInt32]?
    /// Whether the kernel must list its routes: at the start, and after some may have disappeared without a message.
    private var isListWanted = true
    private var hasTooManyRoutes = false
    /// The address families whose default route is gone.
    private var lostRoutes: Set<UInt8> = []
    /// Whether the last route is gone, which was not a default route.
    private var hasLostAllRoutes = false

    package init() {}

    /// Call when the kernel has dropped messages: anything may have changed, and the routes must be listed again.
    package mutating func lostMessages() -> [NetworkChange] {
        self = NetworkWatch()
        return [.routeAdded]
    }

    /// - Returns: whether the caller must now ask the kernel for its routes. It is asked for one list at a time.
    package mutating func takeListRequest() -> Bool {
        guard isListWanted, listed == nil else { return false }
        (isListWanted, listed) = (false, [:])
        return true
    }

    package mutating func take(_ bytes: [UInt8]) -> [NetworkChange] {
        var changes: [NetworkChange] = []
        var rest = Message(bytes[...])
        while let (type, flags, body) = rest.next() {
            switch type {
            case Message.newRoute where flags & Message.multi != 0: list(body)
            case Message.done: endList(&changes)
            // The request for the list has failed.
            case Message.error: listed = nil
            // With the last address of a link, its routes disappear without a message.
            case Message.deletedAddress: isListWanted = isListWanted || !hasTooManyRoutes
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
        // With its link, an IPv4 route disappears without a message.
        if isGone || flags & Message.up == 0 {
            routes = routes.filter { $0.value != index }
            listed = listed?.filter { $0.value != index }
        }
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

    /// - Returns: `nil` for a route that concerns no server.
    private static func route(_ body: ArraySlice<UInt8>) -> (Route, link: UInt32)? {
        // struct rtmsg: family, length of the destination's and the source's prefix, tos, table, protocol, scope, type.
        let header = Array(body.prefix(8))
        guard header.count == 8, header[4] == Message.mainTable, header[7] == Message.unicast else { return nil }
        let (family, attributes) = (header[0], body.dropFirst(12))
        let target = Message.attribute(1, in: attributes)
        // Every IPv6 link has a route to its own neighbours.
        if family == 10, let target, target.prefix(2) == [0xFE, 0x80] { return nil }
        let link = Message.number(4, in: attributes)
        let route = Route(
            family: family,
            prefix: header[1],
            target: Array(target ?? []),
            metric: Message.number(6, in: attributes),
            link: family == 10 ? link : 0
        )
        return (route, link)
    }

    /// Takes one of the routes that exist already.
    private mutating func list(_ body: ArraySlice<UInt8>) {
        guard !hasTooManyRoutes, let (route, link) = Self.route(body) else { return }
        listed = listed ?? [:]
        listed?[route] = link
        limitRoutes()
    }

    private mutating func keep(_ route: Route, _ link: UInt32) {
        guard !hasTooManyRoutes else { return }
        routes[route] = link
        listed?[route] = link
        limitRoutes()
    }

    private mutating func limitRoutes() {
        hasTooManyRoutes = max(routes.count, listed?.count ?? 0) > Self.routeLimit
        if hasTooManyRoutes { (routes, listed, knowsRoutes) = ([:], listed.map { _ in [:] }, false) }
    }

    /// The list is complete: reports known routes that it does not contain.
    private mutating func endList(_ changes: inout [NetworkChange]) {
        guard let found = listed else { return }
        listed = nil
        guard !hasTooManyRoutes else { return }
        let gone = knowsRoutes ? routes.keys.filter { found[$0] == nil } : []
        (routes, knowsRoutes) = (found, true)
        // Default routes first: if one of them is lost, the loss of the last other route needs no notice.
        for route in gone.filter(\.isDefault) + gone.filter({ !$0.isDefault }) where isLoss(of: route, wasKnown: true) {
            changes.append(.routeLost)
        }
    }

    private mutating func takeRoute(_ body: ArraySlice<UInt8>, isGone: Bool, _ changes: inout [NetworkChange]) {
        guard let (route, link) = Self.route(body) else { return }
        if isGone {
            listed?[route] = nil
            let wasKnown = routes.removeValue(forKey: route) != nil
            if isLoss(of: route, wasKnown: wasKnown) { changes.append(.routeLost) }
            return
        }
        keep(route, link)
        let isBack = route.isDefault && lostRoutes.remove(route.family) != nil || hasLostAllRoutes
        hasLostAllRoutes = false
        changes.append(isBack ? .routeBack : .routeAdded)
    }

    /// Whether the loss of a route is to be reported. Call once, after the route has been removed.
    private mutating func isLoss(of route: Route, wasKnown: Bool) -> Bool {
        if route.isDefault {
            let isLast = !knowsRoutes || !routes.keys.contains { $0.isDefault && $0.family == route.family }
            return isLast && lostRoutes.insert(route.family).inserted
        }
        guard knowsRoutes, wasKnown, routes.isEmpty, lostRoutes.isEmpty, !hasLostAllRoutes else { return false }
        hasLostAllRoutes = true
        return true
    }
}

/// Parses messages of netlink(7), which are in this machine's byte order.
private struct Message {
    static let (newLink, deletedLink, newRoute, deletedRoute): (UInt16, UInt16, UInt16, UInt16) = (16, 17, 24, 25)
    /// RTM_DELADDR.
    static let deletedAddress: UInt16 = 21
    /// NLMSG_ERROR and NLMSG_DONE.
    static let (error, done): (UInt16, UInt16) = (2, 3)
    /// NLM_F_MULTI.
    static let multi: UInt16 = 2
    /// IFF_UP.
    static let up: UInt32 = 1
    /// IFF_UP and IFF_RUNNING.
    static let running: UInt32 = 0x41
    /// IFF_LOOPBACK.
    static let loopback: UInt32 = 0x8
    /// RT_TABLE_MAIN and RTN_UNICAST.
    static let (mainTable, unicast): (UInt8, UInt8) = (254, 1)

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next message: its type, its flags, and the bytes after its header.
    mutating func next() -> (type: UInt16, flags: UInt16, body: ArraySlice<UInt8>)? {
        guard rest.count >= 16 else { return nil }
        let length = Int(Self.word(rest, 0))
        guard length >= 16, length <= rest.count else { return nil }
        let (type, flags) = (Self.half(rest, 4), Self.half(rest, 6))
        let body = rest.prefix(length).dropFirst(16)
        rest = rest.dropFirst((length + 3) & ~3)
        return (type, flags, body)
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

    /// The value of an attribute that is a number. 0 if the attribute is missing or malformed.
    static func number(_ type: UInt16, in bytes: ArraySlice<UInt8>) -> UInt32 {
        attribute(type, in: bytes).flatMap { $0.count == 4 ? word($0, 0) : nil } ?? 0
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
