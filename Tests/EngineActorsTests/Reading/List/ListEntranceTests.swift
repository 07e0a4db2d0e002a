// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("The segment at which reading enters a list")
struct ListEntranceTests {
    private struct Entered: Equatable {
        let index: Int
        let read: [Int]
    }

    private static let both: Set<StreamKind> = [.video, .audio]

    /// Groups of two segments. `maps`: the init segment of each group.
    private func list(_ groups: Int, maps: [String?] = [], slides: Bool = false, entrance: Int = 0) -> SegmentList {
        SegmentList(
            (0..<2 * groups).map { index in
                let map = maps.isEmpty ? nil : maps[index / 2].map { ListedResource(url: $0) }
                return SegmentList.Entry(
                    resource: ListedResource(url: "http://host/\(index).ts"),
                    map: map,
                    duration: .seconds(4),
                    isDiscontinuous: index % 2 == 0
                )
            },
            entrance: entrance,
            slides: slides
        )
    }

    /// - Parameter found: the kinds of media of each group; `nil` for one that cannot be read.
    private func enter(
        _ list: SegmentList,
        _ found: [Set<StreamKind>?],
        kinds: Set<StreamKind> = both
    ) throws -> Entered {
        var read: [Int] = []
        let index = try ListEntrance(list: list, kinds: kinds).index { (segment) throws(EngineError) in
            read.append(segment)
            return found[segment / 2]
        }
        return Entered(index: index, read: read)
    }

    @Test(
        "a first group without audio or without video is passed for the first one that has all",
        arguments: [
            ([[.video], both], 2, [0, 2]), ([[.audio], both], 2, [0, 2]), ([both, [.video]], 0, [0]),
            ([[.video], nil, [.video], both], 6, [0, 2, 4, 6]), ([[.video], [.audio]], 0, [0, 2]),
            ([[.video]], 0, []),
        ] as [([Set<StreamKind>?], Int, [Int])]
    )
    func groups(_ found: [Set<StreamKind>?], index: Int, read: [Int]) throws {
        let entrance = try enter(list(found.count), found)
        #expect(entrance == Entered(index: index, read: read))
    }

    @Test("nothing is read for media that the presentation does not have")
    func kinds() throws {
        #expect(try enter(list(3), [[.video], Self.both, Self.both], kinds: [.video]) == Entered(index: 0, read: []))
    }

    @Test("groups with a known init segment are not read, and only a limited number of others is")
    func limits() throws {
        let alike: [Set<StreamKind>?] = Array(repeating: [.video], count: 3)
        #expect(try enter(list(3, maps: ["a", "a", "b"]), alike) == Entered(index: 0, read: [0, 4]))
        let many: [Set<StreamKind>?] = Array(repeating: [.video], count: 40)
        #expect(try enter(list(40), many).read.count == 9)
    }

    @Test("in a list that slides, groups after the entrance come first")
    func sliding() throws {
        let found: [Set<StreamKind>?] = [Self.both, [.video], Self.both]
        #expect(try enter(list(3, slides: true, entrance: 2), found) == Entered(index: 4, read: [2, 4]))
        #expect(try enter(list(2, slides: true, entrance: 2), found) == Entered(index: 0, read: [2, 0]))
    }

    @Test("groups with which another variant begins are not read: they have the same media")
    func variants() throws {
        var list = list(1)
        var entry = SegmentList.Entry(
            resource: ListedResource(url: "http://host/2.ts"),
            duration: .seconds(4),
            isDiscontinuous: true
        )
        entry.continuesClock = true
        list.append(entry)
        #expect(try enter(list, [[.video], Self.both]) == Entered(index: 0, read: []))
    }
}
