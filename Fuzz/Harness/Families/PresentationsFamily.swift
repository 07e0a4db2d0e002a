// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging

/// Playlists, segments of packed audio and text as a server of a source may send them.
func exercisePresentations(_ bytes: [UInt8]) {
    // A playlist, and its reloads.
    let loads = pieces(bytes, limit: 4)
    let first = readPlaylist(loads.first ?? [], continuing: nil)
    var list = HLSEntryList()
    var schedule = HLSReloadSchedule()
    var base = first
    for (place, load) in loads.enumerated() {
        guard let playlist = place == 0 ? first : readPlaylist(load, continuing: base) else { continue }
        base = playlist
        exerciseReload(playlist, &list, &schedule, now: Int64(place) * 1_000_000_000)
    }
    if let anchor = list.anchor {
        let resumed = HLSEntryList(resuming: anchor)
        expect(resumed?.anchor == anchor, "an anchor is kept")
    }
    exerciseResources(bytes)
}

private let sourceURL = "https://host/a/b.m3u8?token=x%20y"

/// - Returns: the playlist if it is a media playlist, otherwise `nil`.
private func readPlaylist(_ bytes: [UInt8], continuing base: HLSMediaPlaylist?) -> HLSMediaPlaylist? {
    let imported = ["v": "w"]
    guard let playlist = try? HLSPlaylist.parse(bytes, url: sourceURL, importing: imported, continuing: base) else {
        return nil
    }
    let again = try? HLSPlaylist.parse(bytes, url: sourceURL, importing: imported, continuing: base)
    expect(again == playlist, "the same bytes are the same playlist")
    expect(
        playlist.notices.list.count <= HLSNotice.Kind.allCases.count * HLSNotices.limit,
        "\(playlist.notices.list.count) notices are kept"
    )
    switch playlist {
    case .multivariant(let multivariant):
        exerciseLadder(multivariant.variants)
        return nil
    case .media(let media):
        expect(media.targetDuration > .zero, "a target duration is positive")
        for (place, segment) in media.segments.enumerated() {
            expect(segment.sequence == media.mediaSequence + Int64(place), "numbers are consecutive")
            expect(segment.duration >= .zero, "a duration is not negative")
            if let range = segment.byteRange { expect(range.end >= range.offset, "a range has an end") }
            if place > 0 {
                expect(segment.discontinuity >= media.segments[place - 1].discontinuity, "discontinuities add up")
            }
        }
        for segment in media.segments.prefix(16) { exerciseProtection(segment) }
        return media
    }
}

private func exerciseProtection(_ segment: HLSSegment) {
    for (keys, sequence) in [(segment.keys, segment.sequence as Int64?), (segment.map?.keys ?? [], nil)] {
        switch try? HLSProtection(keys: keys, sequence: sequence) {
        case .resource(_, _, let iv), .samples(_, _, let iv): expect(iv.count == 16, "an IV has 16 bytes")
        case .some(.none): expect(keys.isEmpty, "what has keys is encrypted")
        case nil: break
        }
    }
}

private func exerciseReload(
    _ playlist: HLSMediaPlaylist,
    _ list: inout HLSEntryList,
    _ schedule: inout HLSReloadSchedule,
    now: Int64
) {
    let known = list
    let outcome = list.take(playlist, now: now)
    expect(Array(list.entries.prefix(known.entries.count)) == known.entries, "what is known stays as it was")
    for (place, entry) in list.entries.enumerated() {
        expect(entry.index == (list.entries.first?.index ?? 0) + Int64(place), "indices are consecutive")
    }
    if let last = list.entries.last { expect(last.index + 1 == list.anchor?.nextIndex, "the next index is new") }
    if outcome != .outdated {
        var again = list
        let repeated = again.take(playlist, now: now)
        expect(!repeated.hasChanged, "a playlist adds nothing to itself")
        expect(again.entries == list.entries, "and changes nothing")
    }
    let request = schedule.loaded(playlist, hasChanged: outcome.hasChanged, began: now, now: now)
    expect((request == nil) == !playlist.isLive, "a live playlist is loaded again")
    if let request { expect(request.time >= now, "a request is not in the past") }
}

private func exerciseLadder(_ variants: [HLSVariant]) {
    for policy in [HLSVariantPolicy(), HLSVariantPolicy(choice: .ladder, maxHeight: 720, maxBandwidth: 2_000_000)] {
        guard let ladder = try? HLSLadder(variants, policy: policy, unsupported: { $0.filter { $0.hasPrefix("x") } })
        else {
            continue
        }
        let places = ladder.rungs.map(\.place)
        expect(Set(places).isDisjoint(with: ladder.excluded.keys), "a variant is used or not")
        expect(Set(places).union(ladder.excluded.keys) == Set(variants.indices), "each variant has its reason")
        let control = HLSRateControl(bandwidths: ladder.rungs.map(\.variant.bandwidth), start: 0)
        for estimate in [nil, 0, 1e6, 1e12] {
            let decision = control.decide(.init(estimate: estimate, now: 0))
            expect(ladder.rungs.indices.contains(decision.rung), "a decision is a rung")
        }
    }
}

private func exerciseResources(_ bytes: [UInt8]) {
    if let head = try? PackedAudioHead(bytes) {
        expect(head.byteCount <= bytes.count, "the tags are within the bytes")
        if let timestamp = head.timestamp { expect(timestamp >> 33 == 0, "a timestamp has 33 bits") }
    }
    if let map = WebVTTTimestampMap(bytes) { expect(map.ticks >> 33 == 0, "a timestamp has 33 bits") }
    if let info = try? SpliceInfo(bytes), case .timeSignal(let time?) = info.command {
        expect(time >> 33 == 0, "a time of SCTE 35 has 33 bits")
    }
    let text = String(decoding: bytes.prefix(512), as: UTF8.self)
    let target = URLReference(sourceURL).resolving(text)
    expect(target.utf8.count <= sourceURL.utf8.count + text.utf8.count + 1, "a target is no longer than both together")
    _ = HLSDirectives(sequence: 1, part: 2, skip: .entries).applied(to: target)
}
