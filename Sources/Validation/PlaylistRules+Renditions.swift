// SPDX-License-Identifier: Apache-2.0

extension PlaylistRules {
    /// Checks the attributes by which players select renditions automatically (§4.3.4.1).
    static func checkChoices(of master: ParsedPlaylist, _ collector: inout ProblemCollector) {
        var choices: Set<[String]> = []
        for rendition in master.renditions {
            let (type, name) = (rendition["TYPE"] ?? "", rendition["NAME"] ?? "")
            for attribute in ["DEFAULT", "AUTOSELECT", "FORCED"] {
                if let value = rendition[attribute], value != "YES", value != "NO" {
                    collector.add("§4.3.4.1", "\(attribute) of \"\(name)\" is \"\(value.prefix(20))\"")
                }
            }
            guard type == "SUBTITLES" else {
                if rendition["FORCED"] != nil {
                    collector.add("§4.3.4.1", "\"\(name)\" has FORCED but is not subtitles")
                }
                continue
            }
            guard rendition["AUTOSELECT"] == "YES" else { continue }
            let traits = ["GROUP-ID", "LANGUAGE", "ASSOC-LANGUAGE", "CHARACTERISTICS"].map { rendition[$0] ?? "" }
            if !choices.insert(traits + [rendition["FORCED"] ?? "NO"]).inserted {
                collector.add("§4.3.4.1.1", "\"\(name)\" cannot be told apart from another selectable rendition")
            }
        }
        checkGroups(of: master, &collector)
        // §4.3.4.2.1: every variant must offer the same subtitles.
        let groups = Set(master.variants.map { $0.attributes["SUBTITLES"] })
        if groups.count > 1 { collector.add("§4.3.4.2.1", "not every variant has the same subtitles") }
    }

    /// Checks that all groups of a type have the same members, apart from their URI and CHANNELS (§4.3.4.1.1).
    private static func checkGroups(of master: ParsedPlaylist, _ collector: inout ProblemCollector) {
        let types = Dictionary(grouping: master.renditions) { $0["TYPE"] ?? "" }
        for (type, renditions) in types.sorted(by: { $0.key < $1.key }) {
            let groups = Dictionary(grouping: renditions) { $0["GROUP-ID"] ?? "" }.sorted { $0.key < $1.key }
            guard let first = groups.first else { continue }
            for group in groups.dropFirst() where members(group.value) != members(first.value) {
                collector.add(
                    "§4.3.4.1.1",
                    "the \(type) groups \"\(first.key)\" and \"\(group.key)\" have different members"
                )
            }
        }
    }

    private static func members(_ renditions: [PlaylistAttributes]) -> Set<[String: String]> {
        Set(renditions.map { $0.values.filter { !["GROUP-ID", "URI", "CHANNELS"].contains($0.key) } })
    }

    /// Checks an EXT-X-I-FRAME-STREAM-INF (§4.3.4.3).
    static func check(keyframes variant: ParsedPlaylist.Variant, _ collector: inout ProblemCollector) {
        let (uri, variant) = (variant.uri, variant.attributes)
        guard !uri.isEmpty else { return collector.add("§4.3.4.3", "an EXT-X-I-FRAME-STREAM-INF has no URI") }
        if variant["BANDWIDTH"].flatMap(Int.init) ?? 0 <= 0 { collector.add("§4.3.4.3", "\(uri) has no BANDWIDTH") }
        if variant["CODECS"]?.isEmpty != false { collector.add("§4.3.4.3", "\(uri) has no CODECS") }
        for name in ["FRAME-RATE", "AUDIO", "SUBTITLES", "CLOSED-CAPTIONS"] where variant[name] != nil {
            collector.add("§4.3.4.3", "\(uri) has \(name), which is not allowed on an I-frame stream")
        }
    }
}
