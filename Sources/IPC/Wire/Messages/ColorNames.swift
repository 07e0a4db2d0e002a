// SPDX-License-Identifier: Apache-2.0

/// The contract's names for code points of ITU-T H.273; they are FFmpeg's names. A code point without a name is sent as
/// its number; 2 (unspecified) is sent as an empty string.
struct ColorNames {
    private let names: [Int: String]

    func name(_ codePoint: Int) -> String { codePoint == 2 ? "" : names[codePoint] ?? String(codePoint) }

    func codePoint(_ name: String) -> Int {
        if name.isEmpty { return 2 }
        return names.first { $0.value == name }?.key ?? Int(name) ?? 2
    }

    /// Table 2.
    static let primaries = ColorNames(names: [
        1: "bt709", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "film", 9: "bt2020", 10: "smpte428",
        11: "smpte431", 12: "smpte432", 22: "ebu3213",
    ])

    /// Table 3.
    static let transfer = ColorNames(names: [
        1: "bt709", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "linear", 9: "log100", 10: "log316",
        11: "iec61966-2-4", 12: "bt1361e", 13: "iec61966-2-1", 14: "bt2020-10", 15: "bt2020-12", 16: "smpte2084",
        17: "smpte428", 18: "arib-std-b67",
    ])

    /// Table 4.
    static let matrix = ColorNames(names: [
        0: "gbr", 1: "bt709", 4: "fcc", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "ycgco", 9: "bt2020nc",
        10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc", 13: "chroma-derived-c", 14: "ictcp",
    ])
}
