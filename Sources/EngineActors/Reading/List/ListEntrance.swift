// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Chooses the segment at which reading enters a list whose tracks come from one of its groups: usually the first one,
/// but another one if the first lacks video or audio that the other has, as a silent ident before a film does. Pure.
struct ListEntrance {
    /// The most other groups that are examined.
    private static let attempts = 8

    let list: SegmentList
    /// The kinds of media that the list may have.
    let kinds: Set<StreamKind>

    /// Whether the answer may be another segment than the current entrance.
    var isOpen: Bool { kinds.count > 1 && !others.isEmpty }

    /// The other groups, the following ones first: those before the entrance of a list that slides are about to leave it.
    /// Without those that continue the group before them as another variant, which has the same kinds of media.
    private var others: [Int] {
        let own = list.reference
        let all = list.groups.indices.filter { $0 != own && !list.continuations.contains($0) }
        return all.filter { $0 > own } + all.filter { $0 < own && list.groups[$0] >= list.oldest }.reversed()
    }

    /// - Parameter found: the kinds of media that a segment has. `nil` if it cannot be read.
    /// - Returns: the first segment of the first group that has all the media of the current entrance, and more. The current
    ///   entrance if there is no such group.
    func index(
        _ found: (_ segment: Int) throws(EngineError) -> Set<StreamKind>?
    ) throws(EngineError) -> Int {
        guard isOpen, let own = try found(list.head)?.intersection(kinds), own != kinds else { return list.entrance }
        // Segments with the same init segment have the same tracks.
        var maps = [list.segments[list.head].map]
        var attempts = 0
        for group in others where attempts < Self.attempts {
            let head = list.head(ofGroup: group)
            let segment = list.segments[head]
            guard !segment.isGap, segment.map == nil || !maps.contains(segment.map) else { continue }
            maps.append(segment.map)
            attempts += 1
            if let other = try found(head)?.intersection(kinds), other.isStrictSuperset(of: own) { return head }
        }
        return list.entrance
    }
}

extension ListEntrance {
    /// Makes all readers of a source enter its leading list where its tracks are. Only the first call has an effect.
    static func settle(in source: SegmentListSource, _ interrupt: InterruptFlag) throws(EngineError) {
        guard !source.loaded.hasSettledEntrance else { return }
        let hasOwnAudio = source.parts.dropFirst().contains { $0.kind == .media }
        let kinds = source.facts.kinds.subtracting(hasOwnAudio ? [.audio] : [])
        let entrance = ListEntrance(list: source.lead, kinds: kinds)
        let index = try entrance.index { segment throws(EngineError) in
            do throws(EngineError) {
                return try OpenSegment(segment, of: 0, in: source, interrupt).mediaKinds(of: source.path)
            } catch {
                // The entrance itself must be readable.
                if error.code == .cancelled || segment == entrance.list.head { throw error }
                return nil
            }
        }
        let head = entrance.list.segments[index]
        if entrance.list.slides { source.fetcher.hold([head.map, head.resource].compactMap(\.self)) }
        source.loaded.settleEntrance(at: index)
    }
}
