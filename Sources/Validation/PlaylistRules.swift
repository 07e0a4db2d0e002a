// SPDX-License-Identifier: Apache-2.0

/// The rules of RFC 8216 that can be checked without fetching segments.
package enum PlaylistRules {
    package static func problems(of playlist: ParsedPlaylist) -> [ValidationProblem] {
        playlist.problems + (playlist.isMaster ? master(playlist) : media(playlist) + unexpectedSkip(in: playlist))
    }

    /// Checks that a playlist that was fetched again changed nothing that must stay the same (§6.2.1, §4.3.3.5).
    package static func problems(from old: ParsedPlaylist, to new: ParsedPlaylist) -> [ValidationProblem] {
        var collector = ProblemCollector(playlist: new)
        if new.targetDuration != old.targetDuration {
            collector.add("§6.2.1", "EXT-X-TARGETDURATION changed while the playlist grew")
        }
        if new.segments.count < old.segments.count || new.mediaSequence != old.mediaSequence {
            collector.add("§4.3.3.5", "segments were removed from an EVENT playlist")
        } else if let index = old.segments.indices.first(where: { old.segments[$0] != new.segments[$0] }) {
            collector.add("§6.2.1", "the entry of segment \(index) changed after it was announced")
        }
        return collector.problems
    }

    static func media(_ playlist: ParsedPlaylist) -> [ValidationProblem] {
        var collector = ProblemCollector(playlist: playlist)
        if playlist.segments.isEmpty, playlist.hasEndList || playlist.playlistType == "VOD" {
            collector.add("§4.3.3", "the playlist has no segments")
        }
        if let target = playlist.targetDuration {
            for (index, segment) in playlist.segments.enumerated() where segment.duration.rounded() > Double(target) {
                collector.add(
                    "§4.3.3.1",
                    "EXTINF \(segment.duration) of segment \(index) is above TARGETDURATION \(target)"
                )
            }
        } else {
            collector.add("§4.3.3.1", "there is no EXT-X-TARGETDURATION")
        }
        if playlist.playlistType == "VOD", !playlist.hasEndList {
            collector.add("§4.3.3.5", "a VOD playlist has no ENDLIST")
        }
        if playlist.segments.contains(where: { $0.map == nil }), !playlist.maps.isEmpty {
            collector.add("§4.3.2.5", "a segment comes before its EXT-X-MAP")
        }
        checkSkipBoundary(playlist, &collector)
        let needed = neededVersion(playlist)
        if (playlist.version ?? 1) < needed {
            collector.add("§7", "EXT-X-VERSION is \(playlist.version ?? 1), but its contents require \(needed)")
        }
        return collector.problems
    }

    /// The lowest EXT-X-VERSION that allows the contents (§7): 9 for EXT-X-SKIP (in the draft); 6 for EXT-X-MAP, or 5
    /// if the playlist has EXT-X-I-FRAMES-ONLY too; 4 for EXT-X-I-FRAMES-ONLY or byte ranges; 3 for durations with
    /// decimals; otherwise 1.
    private static func neededVersion(_ playlist: ParsedPlaylist) -> Int {
        if playlist.skippedSegments != nil { return 9 }
        if !playlist.maps.isEmpty { return playlist.isKeyframesOnly ? 5 : 6 }
        if playlist.isKeyframesOnly || playlist.segments.contains(where: { $0.byteRange != nil }) { return 4 }
        return playlist.hasFractions ? 3 : 1
    }

    private static func master(_ playlist: ParsedPlaylist) -> [ValidationProblem] {
        var collector = ProblemCollector(playlist: playlist)
        if playlist.targetDuration != nil || !playlist.segments.isEmpty {
            collector.add("§4.3", "a master playlist contains media playlist tags")
        }
        if playlist.variants.isEmpty { collector.add("§4.3.4.2", "there is no variant") }
        for variant in playlist.variants { check(variant, in: playlist, &collector) }
        var names: Set<[String]> = []
        var defaults: Set<[String]> = []
        for rendition in playlist.renditions { check(rendition, names: &names, defaults: &defaults, &collector) }
        checkChoices(of: playlist, &collector)
        for variant in playlist.keyframeVariants { check(keyframes: variant, &collector) }
        return collector.problems
    }

    private static func check(
        _ variant: ParsedPlaylist.Variant,
        in playlist: ParsedPlaylist,
        _ collector: inout ProblemCollector
    ) {
        let attributes = variant.attributes
        if attributes["BANDWIDTH"].flatMap(Int.init) ?? 0 <= 0 {
            collector.add("§4.3.4.2", "variant \(variant.uri) has no BANDWIDTH")
        }
        if let average = attributes["AVERAGE-BANDWIDTH"].flatMap(Int.init),
            let peak = attributes["BANDWIDTH"].flatMap(Int.init), average > peak
        {
            collector.add("§4.3.4.2", "AVERAGE-BANDWIDTH \(average) is above BANDWIDTH \(peak)")
        }
        // SHOULD in §4.3.4.2. Without it, a player must fetch a segment to find out whether it can play the variant.
        guard let codecs = attributes["CODECS"], !codecs.isEmpty else {
            collector.add("§4.3.4.2", "variant \(variant.uri) has no CODECS")
            return
        }
        if isVideo(codecs) {
            let size = attributes["RESOLUTION"]?.split(separator: "x").compactMap { Int($0) } ?? []
            if size.count != 2 || size.contains(0) { collector.add("§4.3.4.2", "a video variant has no RESOLUTION") }
        }
        if let rate = attributes["FRAME-RATE"], Double(rate).map({ $0 > 0 }) != true {
            collector.add("§4.3.4.2", "FRAME-RATE \"\(rate)\" is not a valid rate")
        }
        for type in ["AUDIO", "VIDEO", "SUBTITLES"] {
            guard let group = attributes[type] else { continue }
            if !playlist.renditions.contains(where: { $0["TYPE"] == type && $0["GROUP-ID"] == group }) {
                collector.add("§4.3.4.2", "the \(type) group \"\(group)\" does not exist")
            }
        }
    }

    private static func check(
        _ rendition: PlaylistAttributes,
        names: inout Set<[String]>,
        defaults: inout Set<[String]>,
        _ collector: inout ProblemCollector
    ) {
        guard let type = rendition["TYPE"], let group = rendition["GROUP-ID"], let name = rendition["NAME"] else {
            return collector.add("§4.3.4.1", "an EXT-X-MEDIA lacks TYPE, GROUP-ID or NAME")
        }
        if !["AUDIO", "VIDEO", "SUBTITLES", "CLOSED-CAPTIONS"].contains(type) {
            collector.add("§4.3.4.1", "TYPE \"\(type)\" does not exist")
        }
        if !names.insert([type, group, name]).inserted {
            collector.add("§4.3.4.1.1", "NAME \"\(name)\" appears twice in group \"\(group)\"")
        }
        if rendition["DEFAULT"] == "YES" {
            if !defaults.insert([type, group]).inserted {
                collector.add("§4.3.4.1.1", "group \"\(group)\" has more than one default")
            }
            if rendition["AUTOSELECT"] == "NO" {
                collector.add("§4.3.4.1", "\"\(name)\" is DEFAULT but not AUTOSELECT")
            }
        }
        if type == "SUBTITLES", rendition["URI"] == nil {
            collector.add("§4.3.4.1", "subtitles \"\(name)\" have no URI")
        }
    }

    private static func isVideo(_ codecs: String) -> Bool {
        let names = ["avc", "hvc", "hev", "av01", "vp09", "vp08", "dvh", "dav1", "mp4v"]
        return codecs.split(separator: ",").contains { codec in names.contains { codec.hasPrefix($0) } }
    }

    struct ProblemCollector {
        let playlist: ParsedPlaylist
        var problems: [ValidationProblem] = []

        init(playlist: ParsedPlaylist) { self.playlist = playlist }

        mutating func add(
            _ section: String,
            of document: ValidationProblem.Document = .standard,
            _ message: String
        ) {
            problems.append(ValidationProblem("\(document.rawValue) \(section)", playlist.uri, message))
        }
    }
}
