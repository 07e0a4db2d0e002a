// SPDX-License-Identifier: Apache-2.0

extension CodecString {
    /// H.264 profiles, from least to most demanding for a decoder.
    private static let avcProfiles = ["42", "4D", "58", "64", "6E", "7A", "F4"]

    /// One string that covers the decoder requirements of all `strings`: the highest profile with the highest level.
    /// Strings of a codec other than the first one's are ignored. For codecs other than H.264, HEVC and AV1, returns
    /// the first string.
    ///
    /// - Parameter strings: one per version of a track.
    package static func covering(_ strings: [String]) -> String {
        guard let first = strings.first else { return "" }
        let split = strings.map { $0.split(separator: ".").map(String.init) }
        let same = split.filter { $0.first == split[0].first && $0.count >= 2 }
        guard let head = same.first, same.count > 1 else { return first }
        switch head[0] {
        case "avc1", "avc3": return avc(same.filter { $0[1].utf8.count == 6 }) ?? first
        case "hvc1", "hev1": return hevc(same.filter { $0.count >= 4 }) ?? first
        case "av01": return av1(same.filter { $0.count >= 4 }) ?? first
        default: return first
        }
    }

    private static func avc(_ all: [[String]]) -> String? {
        func rank(_ parts: [String]) -> Int { avcProfiles.firstIndex(of: String(parts[1].prefix(2))) ?? -1 }
        guard let highest = largest(of: all, by: rank), let level = all.map({ String($0[1].suffix(2)) }).max() else {
            return nil
        }
        return highest[0] + "." + highest[1].prefix(4) + level
    }

    private static func hevc(_ all: [[String]]) -> String? {
        // The levels of the high tier exceed those of the main tier, so any `H` ranks above any `L`.
        func level(_ parts: [String]) -> (Int, Int) {
            (parts[3].hasPrefix("H") ? 1 : 0, Int(parts[3].dropFirst()) ?? 0)
        }
        guard var highest = largest(of: all, by: { Int($0[1].filter(\.isNumber)) ?? 0 }),
            let top = all.max(by: { level($0) < level($1) })
        else { return nil }
        highest[3] = (level(top).0 == 1 ? "H" : "L") + "\(all.map { level($0).1 }.max() ?? 0)"
        return highest.joined(separator: ".")
    }

    private static func av1(_ all: [[String]]) -> String? {
        guard var highest = largest(of: all, by: { Int($0[1]) ?? 0 }) else { return nil }
        let tier = all.contains { $0[2].hasSuffix("H") } ? "H" : "M"
        highest[2] = (all.map { String($0[2].dropLast()) }.max() ?? "") + tier
        highest[3] = all.map { $0[3] }.max() ?? highest[3]
        return highest.joined(separator: ".")
    }

    /// The first entry with the highest rank.
    private static func largest(of all: [[String]], by rank: ([String]) -> Int) -> [String]? {
        var found: [String]?
        for parts in all where found.map({ rank(parts) > rank($0) }) ?? true { found = parts }
        return found
    }
}
