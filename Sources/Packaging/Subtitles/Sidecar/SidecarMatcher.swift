// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides by name which files in a source's folder are subtitles of this source rather than of another one. Pure.
///
/// A file belongs to the source if its name is the source's name, alone or followed by words about subtitles. If
/// several sources match, the one with the longest name owns the file. In a subtitle folder (`Subs`), a file whose name
/// consists only of such words belongs to the source beside the folder if there is only one, and every file in
/// `Subs/<source>` belongs to that source.
package struct SidecarMatcher: Sendable {
    private let source: [UInt8]
    private let stem: FileStem
    /// Other sources whose names begin with this one's.
    private var rivals: [FileStem] = []
    private var hasOtherSources = false
    private var candidates: [Candidate] = []

    private struct Candidate {
        let path: [UInt8]
        /// Without the extension.
        let name: String
        let fileExtension: String
        let place: Place

        var pathWithoutExtension: [UInt8] { Array(path.dropLast(fileExtension.utf8.count + 1)) }
    }

    private enum Place: Int, Comparable {
        case beside, subtitleFolder, ownFolder

        static func < (one: Place, other: Place) -> Bool { one.rawValue < other.rawValue }
    }

    private static let folders: Set<String> = ["subs", "sub", "subtitles", "subtitle", "vobsub", "vobsubs"]

    private static let sourceExtensions: Set<String> = [
        "mkv", "mk3d", "mka", "webm", "mp4", "m4v", "m4a", "mov", "qt", "avi", "divx", "ts", "m2ts", "mts", "m2t",
        "mpg",
        "mpeg", "vob", "ogv", "ogm", "ogg", "opus", "wmv", "asf", "wma", "flv", "f4v", "3gp", "3g2", "rm", "rmvb",
        "mxf",
        "nut", "mp3", "flac", "wav", "aac", "ac3", "eac3", "dts", "ivf", "obu", "h264", "264", "hevc", "265",
    ]

    /// - Parameter source: the name of the source file, without its folder.
    package init(source: [UInt8]) {
        self.source = source
        stem = FileStem(ofSource: ByteText.text(of: source))
    }

    /// Whether a folder beside the source is a subtitle folder, judging by its name.
    package static func isSubtitleFolder(_ name: [UInt8]) -> Bool {
        name.count <= 9 && folders.contains(ByteText.text(of: name).lowercased())
    }

    /// Whether a folder within a subtitle folder is named after this source, and so contains only its subtitles.
    package func isOwnFolder(_ name: [UInt8]) -> Bool { stem.rest(of: ByteText.text(of: name)) == "" }

    /// Adds a file of the source's folder.
    ///
    /// - Parameter path: relative to the source's folder: `film.srt`, `Subs/film.srt`, `Subs/film/2_English.srt`. Files
    ///   in folders named after other sources are ignored.
    package mutating func add(_ path: [UInt8]) {
        let components = path.split(separator: UInt8(ascii: "/"))
        guard let name = components.last.map(Array.init), (1...3).contains(components.count) else { return }
        guard let fileExtension = Self.fileExtension(of: name) else { return }
        let isSubtitle = SidecarFormat.extensions.contains(fileExtension)
        if components.count == 1, Self.sourceExtensions.contains(fileExtension) { return add(source: name) }
        guard isSubtitle, components.count < 3 || isOwnFolder(Array(components[1])) else { return }
        let place: Place = [.beside, .subtitleFolder, .ownFolder][components.count - 1]
        let text = FileStem.split(ByteText.text(of: name)).stem
        let candidate = Candidate(path: path, name: text, fileExtension: fileExtension, place: place)
        if place != .beside || stem.rest(of: text) != nil { candidates.append(candidate) }
    }

    private mutating func add(source name: [UInt8]) {
        guard name != source else { return }
        let other = FileStem(ofSource: ByteText.text(of: name))
        if stem.begins(other) { rivals.append(other) }
        if !other.isSame(as: stem), !other.isExtra { hasOtherSources = true }
    }

    /// The source's subtitle files in a fixed order: those beside it first, then by name.
    package var sidecars: [[UInt8]] {
        let found = candidates.filter(isOfSource)
        let indexes = Set(found.filter { $0.fileExtension == "idx" }.map(\.pathWithoutExtension))
        // The images of a VobSub index are read together with the index.
        return found.filter { $0.fileExtension != "sub" || !indexes.contains($0.pathWithoutExtension) }
            .sorted { one, other in
                if one.place != other.place { return one.place < other.place }
                if one.name != other.name { return one.name < other.name }
                return one.path.lexicographicallyPrecedes(other.path)
            }.map(\.path)
    }

    private func isOfSource(_ candidate: Candidate) -> Bool {
        if isNamed(candidate.name, after: stem) {
            return !rivals.contains { rival in
                guard isNamed(candidate.name, after: rival) else { return false }
                if rival.length != stem.length { return rival.length > stem.length }
                return rival.isExact(in: candidate.name) && !stem.isExact(in: candidate.name)
            }
        }
        switch candidate.place {
        case .beside: return false
        case .ownFolder: return true
        case .subtitleFolder:
            let words = SidecarWord.understood(candidate.name, startsWithNumber: true)
            return !hasOtherSources && words?.isEmpty == false
        }
    }

    private func isNamed(_ name: String, after stem: FileStem) -> Bool {
        stem.rest(of: name).map { SidecarWord.understood($0, startsWithNumber: false) != nil } ?? false
    }

    /// The extension in lower case. `nil` if there is none, or if it has characters other than ASCII letters and
    /// digits.
    private static func fileExtension(of name: [UInt8]) -> String? {
        guard let period = name.lastIndex(of: UInt8(ascii: ".")), (1...5).contains(name.count - 1 - period) else {
            return nil
        }
        let letters = name[(period + 1)...].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard letters.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }) else { return nil }
        return String(decoding: letters, as: UTF8.self)
    }
}
