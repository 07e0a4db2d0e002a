// SPDX-License-Identifier: Apache-2.0

/// The format of a subtitle file, detected from its first bytes. Pure.
package enum SidecarFormat: Hashable, Sendable, CaseIterable {
    case subRip, ass, webVTT, microDVD, subViewer
    /// Timed text in XML (TTML, IMSC, EBU-TT-D, DFXP).
    case ttml
    /// A Blu-ray presentation graphics stream in its own file (`.sup`).
    case pgs
    /// The index of images that are in a separate `.sub` file.
    case vobSub

    package var isText: Bool {
        switch self {
        case .subRip, .ass, .webVTT, .microDVD, .subViewer, .ttml: true
        case .pgs, .vobSub: false
        }
    }

    /// The name of the demuxer in libavformat. It has none for TTML, whose cues are given to it as SubRip.
    package var demuxer: String {
        switch self {
        case .subRip, .ttml: "srt"
        case .ass: "ass"
        case .webVTT: "webvtt"
        case .microDVD: "microdvd"
        case .subViewer: "subviewer"
        case .pgs: "sup"
        case .vobSub: "vobsub"
        }
    }

    /// Why bytes are rejected as subtitles.
    package enum Refusal: Error, Hashable, Sendable {
        case empty
        /// Servers often send HTML instead of a missing file.
        case html
        /// The bytes cannot be read as XML, for this reason.
        case xml(String)
        /// TTML without text, for example with images only.
        case withoutText
        /// VobSub images without their index.
        case vobSubWithoutIndex
        /// The name of the compression or archive format.
        case compressed(String)
        case unknown

        package var reason: String {
            switch self {
            case .empty: "it is empty"
            case .html: "it is an HTML page"
            case .xml(let reason): reason
            case .withoutText: "it contains no text"
            case .vobSubWithoutIndex: "it contains VobSub pictures; open the .idx file instead"
            case .compressed(let format): "it is compressed (\(format)); unpack it first"
            case .unknown: "it is not SubRip, ASS, SSA, WebVTT, TTML, MicroDVD, SubViewer, PGS or VobSub"
            }
        }
    }

    /// Common extensions of subtitle files, in lower case.
    package static let extensions: Set<String> = ["srt", "ass", "ssa", "vtt", "ttml", "dfxp", "sup", "idx", "sub"]

    /// The number of bytes that are searched for the first element of an XML document.
    private static let headByteCount = 16 << 10
    /// The number of bytes of text that are examined.
    private static let probeSize = 256 << 10

    /// Detects a binary format. `nil` if the bytes may be text.
    package static func ofBinary(_ bytes: [UInt8]) throws(Refusal) -> SidecarFormat? {
        guard !bytes.isEmpty else { throw .empty }
        // A segment: "PG", two four-byte timestamps, and its type.
        if bytes.count > 13, bytes[0] == 0x50, bytes[1] == 0x47, [0x14, 0x15, 0x16, 0x17, 0x80].contains(bytes[10]) {
            return .pgs
        }
        // An MPEG-2 pack header (ISO/IEC 13818-1 §2.5.3.3).
        if bytes.starts(with: [0, 0, 1, 0xBA]) { throw .vobSubWithoutIndex }
        if let packed = packings.first(where: { bytes.starts(with: $0.mark) }) { throw .compressed(packed.name) }
        return nil
    }

    /// Signatures of compressed files and archives.
    private static let packings: [(name: String, mark: [UInt8])] = [
        ("gzip", [0x1F, 0x8B]), ("zip", [0x50, 0x4B, 3, 4]), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
        ("bzip2", [0x42, 0x5A, 0x68]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
        ("7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        ("RAR", [0x52, 0x61, 0x72, 0x21, 0x1A, 7]),
    ]

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - fileExtension: in lower case; decides if the text alone does not.
    package static func ofText(_ text: [UInt8], fileExtension: String) throws(Refusal) -> SidecarFormat {
        let lines = TextLines(text.prefix(probeSize))
        guard let first = lines.first(where: { !$0.isBlank }) else { throw .empty }
        if first.startsIgnoringCase("webvtt") { return .webVTT }
        if first.startsIgnoringCase("# vobsub") { return .vobSub }
        if first.startsIgnoringCase("<"), isTimedText(text) { return .ttml }
        if first.isMarkup { throw .html }
        if lines.contains(where: { $0.startsIgnoringCase("[script info]") || $0.startsIgnoringCase("dialogue:") }) {
            return .ass
        }
        if lines.contains(where: \.isSubRipTiming) { return .subRip }
        if lines.contains(where: \.isShortTiming) { return .webVTT }
        if lines.contains(where: \.isMicroDVD) { return .microDVD }
        if lines.contains(where: \.isSubViewerTiming) { return .subViewer }
        switch fileExtension {
        case "ass", "ssa": if lines.contains(where: { $0.startsIgnoringCase("[v4") }) { return .ass }
        case "idx": if lines.contains(where: { $0.startsIgnoringCase("timestamp:") }) { return .vobSub }
        default: break
        }
        throw .unknown
    }

    /// Whether the first element is `tt`, with or without a prefix.
    private static func isTimedText(_ text: [UInt8]) -> Bool {
        var rest = String(decoding: text.prefix(headByteCount), as: UTF8.self)[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...]
            // Comments, declarations and instructions come before the first element.
            let ends = [("<!--", "-->"), ("<?", "?>"), ("<!", ">")].first { rest.hasPrefix($0.0) }
            guard let ends else {
                let name = rest.dropFirst().prefix { !$0.isWhitespace && !"/>".contains($0) }
                return name.split(separator: ":").last == "tt"
            }
            guard let end = rest.firstRange(of: ends.1) else { return false }
            rest = rest[end.upperBound...]
        }
        return false
    }
}
