// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Network watch")
struct NetworkWatchTests {
    private static let (up, running, loopback): (UInt32, UInt32, UInt32) = (1, 0x41, 0x8)

    /// Bytes of a number in this machine's order.
    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        let little = number.littleEndian
        let bytes = (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: little >> Number(8 * $0)) }
        return Number(1).littleEndian == 1 ? bytes : bytes.reversed()
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        padded(bytes(UInt16(value.count + 4)) + bytes(type) + value)
    }

    private static func message(_ type: UInt16, flags: UInt16 = 0, _ body: [UInt8]) -> [UInt8] {
        let rest = [UInt8](repeating: 0, count: 8)
        return padded(bytes(UInt32(body.count + 16)) + bytes(type) + bytes(flags) + rest + body)
    }

    private static func link(
        _ name: String,
        _ flags: UInt32,
        changed: UInt32 = 0x40,
        index: UInt32 = 2,
        isGone: Bool = false
    ) -> [UInt8] {
        let header: [UInt8] = [0, 0, 1, 0] + bytes(index) + bytes(flags) + bytes(changed)
        let other = attribute(1, [1, 2, 3, 4, 5, 6])
        return message(isGone ? 17 : 16, header + other + attribute(3, Array(name.utf8) + [0]))
    }

    private static func route(
        family: UInt8 = 2,
        prefix: UInt8 = 0,
        table: UInt8 = 254,
        type: UInt8 = 1,
        to target: [UInt8] = [],
        metric: UInt32 = 0,
        link: UInt32 = 2,
        isGone: Bool = false,
        isListed: Bool = false
    ) -> [UInt8] {
        let header: [UInt8] = [family, prefix, 0, 0, table, 3, 0, type, 0, 0, 0, 0]
        let attributes =
            (target.isEmpty ? [] : attribute(1, target)) + attribute(4, bytes(link))
            + (metric == 0 ? [] : attribute(6, bytes(metric)))
        return message(isGone ? 25 : 24, flags: isListed ? 2 : 0, header + attributes)
    }

    /// The end of the list of routes.
    private static let end = message(3, flags: 2, [0, 0, 0, 0])

    /// The changes that a watch derives. Before each message, it may ask for a list of routes.
    private func changes(_ messages: [UInt8]...) -> [NetworkChange] {
        var watch = NetworkWatch()
        return messages.flatMap { message in
            _ = watch.takeListRequest()
            return watch.take(message)
        }
    }

    @Test("A link that goes down and comes back is reported once each way")
    func links() {
        let (down, back) = (Self.link("eth0", Self.up), Self.link("eth0", Self.running))
        #expect(changes(down, down, back, back) == [.linkDown("eth0"), .linkUp("eth0")])
        #expect(changes(down + back) == [.linkDown("eth0"), .linkUp("eth0")])
        let gone = Self.link("eth0", Self.up, isGone: true)
        #expect(changes(back, gone) == [.linkUp("eth0"), .linkDown("eth0")])
    }

    @Test("A new link, or another change of a link, is not reported as down")
    func newLinks() {
        #expect(changes(Self.link("veth1", 0, changed: .max)).isEmpty)
        #expect(changes(Self.link("eth0", 0, changed: 0x1000)).isEmpty)
        #expect(changes(Self.link("lo", Self.running | Self.loopback)).isEmpty)
        let two = changes(Self.link("a", Self.up, index: 2), Self.link("b", Self.up, index: 3))
        #expect(two == [.linkDown("a"), .linkDown("b")])
    }

    @Test("A default route that goes and comes back is reported once per family; any new route ends pauses")
    func routes() {
        let (gone, back) = (Self.route(isGone: true), Self.route())
        #expect(changes(gone, gone, back, back) == [.routeLost, .routeBack, .routeAdded])
        #expect(changes(gone, Self.route(family: 10)) == [.routeLost, .routeAdded])
        #expect(changes(Self.route(prefix: 24, to: [10, 0, 0, 0])) == [.routeAdded])
        #expect(changes(Self.route(prefix: 24, to: [10, 0, 0, 0], isGone: true)).isEmpty)
        let returns = [NetworkChange.routeBack, .routeAdded, .linkUp("a"), .routeLost, .linkDown("a"), .unwatched("")]
        #expect(returns.map(\.isReturn) == [true, true, true, false, false, false])
    }

    @Test("Once the routes are known, only the loss of the last default route of a family is reported")
    func lastDefaultRoute() {
        let listed = Self.route(isListed: true) + Self.route(metric: 100, link: 3, isListed: true) + Self.end
        let (first, second) = (Self.route(isGone: true), Self.route(metric: 100, link: 3, isGone: true))
        #expect(changes(listed).isEmpty)
        #expect(changes(listed, first).isEmpty)
        #expect(changes(listed, first, second, Self.route()) == [.routeLost, .routeBack])
        #expect(
            changes(listed, Self.route(family: 10), Self.route(family: 10, isGone: true)) == [.routeAdded, .routeLost]
        )
        // The other default route disappears with its link. The kernel reports only the link.
        #expect(changes(listed, Self.link("b", 0, index: 3), first) == [.linkDown("b"), .routeLost])
        #expect(changes(listed, Self.link("b", Self.up, index: 3), first) == [.linkDown("b")])
    }

    @Test("Routes that have disappeared with an address are found missing in the next list")
    func lastAddress() {
        let deleted = Self.message(21, [2, 24, 0, 0] + Self.bytes(UInt32(2)))
        let (one, two) = (Self.route(isListed: true), Self.route(metric: 100, link: 3, isListed: true))
        #expect(changes(one + Self.end, deleted, Self.end, Self.route()) == [.routeLost, .routeBack])
        #expect(changes(one + two + Self.end, deleted, one + Self.end).isEmpty)
        let gone = Self.route(isGone: true)
        #expect(changes(one + two + Self.end, deleted, one + Self.end, gone) == [.routeLost])
        // The last route is deleted before the list has shown that the other one is gone.
        #expect(changes(one + two + Self.end, deleted, gone, Self.end) == [.routeLost])
        // A route that is added meanwhile need not be in the list.
        #expect(changes(one + Self.end, deleted, two, Self.route(metric: 5), Self.end) == [.routeAdded])
        let near = Self.route(prefix: 24, to: [10, 9, 0, 0], isListed: true)
        #expect(changes(near + Self.end, deleted, Self.end) == [.routeLost])
        #expect(changes(one + near + Self.end, deleted, Self.end) == [.routeLost], "once")
    }

    @Test("The kernel is asked for its routes at the start and after the loss of an address, one list at a time")
    func lists() {
        let deleted = Self.message(21, [2, 24, 0, 0] + Self.bytes(UInt32(2)))
        var watch = NetworkWatch()
        func asks(after messages: [UInt8]) -> Bool {
            _ = watch.take(messages)
            return watch.takeListRequest()
        }
        #expect([asks(after: []), asks(after: []), asks(after: deleted)] == [true, false, false])
        #expect([asks(after: Self.end), asks(after: Self.end), asks(after: deleted + deleted)] == [true, false, true])
        // NLMSG_ERROR ends a list, too.
        #expect([asks(after: Self.message(2, [0, 0, 0, 0])), asks(after: deleted)] == [false, true])
        _ = watch.lostMessages()
        #expect(asks(after: []))
    }

    @Test("Without a default route, the loss of the last route is reported")
    func lastRoute() {
        func near(_ last: UInt8, isGone: Bool = false, isListed: Bool = false) -> [UInt8] {
            Self.route(prefix: 24, to: [10, 9, last, 0], isGone: isGone, isListed: isListed)
        }
        let listed = near(0, isListed: true) + near(1, isListed: true) + Self.end
        let (one, both) = (near(0, isGone: true), near(0, isGone: true) + near(1, isGone: true))
        #expect(changes(listed, one, near(0)) == [.routeAdded])
        #expect(changes(listed, both, both, near(1), near(0)) == [.routeLost, .routeBack, .routeAdded])
        #expect(changes(near(0, isListed: true), one).isEmpty, "there may be others")
        #expect(changes(listed, Self.route(), both, Self.route(isGone: true)) == [.routeAdded, .routeLost])
    }

    @Test("The routes of a router are not kept: any default route counts as the last one")
    func router() {
        let many = (0..<5000).flatMap { number in
            Self.route(prefix: 24, to: [10, UInt8(number >> 8), UInt8(number & 0xFF), 0], isListed: true)
        }
        let defaults = Self.route(isListed: true) + Self.route(metric: 1, isListed: true)
        #expect(changes(defaults + many + Self.end, Self.route(isGone: true)) == [.routeLost])
    }

    @Test("Routes within a link, local routes and multicast routes are ignored")
    func otherRoutes() {
        let target: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 14)
        #expect(changes(Self.route(family: 10, prefix: 64, to: target)).isEmpty)
        #expect(changes(Self.route(prefix: 32, table: 255, type: 2, to: [127, 0, 0, 1])).isEmpty)
        #expect(changes(Self.route(prefix: 4, type: 5, to: [224, 0, 0, 0])).isEmpty)
    }

    @Test("After lost messages, no default route counts as lost")
    func lost() {
        var watch = NetworkWatch()
        _ = watch.take(Self.route(isGone: true))
        let all = watch.lostMessages() + watch.take(Self.route())
        #expect(all == [.routeAdded, .routeAdded])
    }

    @Test("Messages that are cut off or lie about their length are ignored", arguments: 0..<60)
    func damage(length: Int) {
        let whole = Self.link("eth0", Self.up) + Self.route(to: [1, 2, 3, 4])
        _ = changes(Array(whole.prefix(length)))
        var lie = whole
        lie[length % whole.count] = 0xFF
        _ = changes(lie)
        #expect(changes(Array(Self.link("eth0", Self.up).prefix(min(length, 47)))).isEmpty)
    }

    @Test("The kernel answers a request for its routes")
    func socket() throws {
        let socket = try RouteSocket()
        #expect(socket.receive() == .nothing)
        socket.requestRoutes()
        // The kernel answers at once.
        var watch = NetworkWatch()
        var isAnswered = false
        while case .messages(let bytes) = socket.receive() {
            isAnswered = true
            #expect(watch.take(bytes).isEmpty)
        }
        #expect(isAnswered)
    }
}
