// SPDX-License-Identifier: Apache-2.0

/// The name of a disc. Pure.
package enum DiscLabel {
    /// The largest size of a library file, in bytes.
    package static let byteLimit = 256 << 10
    private static let lengthLimit = 200
    /// Volume names that authoring programs write if the user enters none.
    private static let usual: Set<String> = [
        "", "BD", "BLURAY", "BLU-RAY", "BDROM", "CDROM", "DVD", "DVDVIDEO", "DVD_VIDEO", "ISO", "ISOIMAGE", "LINUXUDF",
        "NEW", "UDF VOLUME", "UNDEFINED", "UNTITLED", "VIDEO_TS", "LOGICAL_VOLUME_ID",
    ]

    /// The name in a Blu-ray disc's library file (`META/DL/bdmt_*.xml`); `nil` if it has none.
    package static func name(inLibrary bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes.prefix(byteLimit), as: UTF8.self)
        // The element `name` of the disc's description.
        guard let start = text.firstRange(of: "<di:name>"),
            let end = text[start.upperBound...].firstRange(of: "</di:name>")
        else { return nil }
        return cleaned(unescaped(String(text[start.upperBound..<end.lowerBound])))
    }

    /// The name of a volume; `nil` if it is not a name chosen for the disc.
    package static func name(ofVolume label: String) -> String? {
        usual.contains(label.uppercased()) ? nil : cleaned(label)
    }

    /// Text without control characters and superfluous spaces; `nil` if nothing remains.
    static func cleaned(_ text: String) -> String? {
        let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 }
        let name = words.map { String($0) }.joined(separator: " ")
        return name.isEmpty ? nil : String(name.prefix(lengthLimit))
    }

    /// XML text with its predefined entities replaced.
    static func unescaped(_ text: String) -> String {
        var text = text
        for (name, character) in [("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("amp", "&")] {
            text.replace("&\(name);", with: character)
        }
        return text
    }
}
