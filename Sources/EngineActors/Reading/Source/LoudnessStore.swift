// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// Stores measured loudness, so that a track is measured only once. There is one small text file per track, named by a
/// hash of the source's version and the stream index. A file that does not parse, or that belongs to another track, is
/// ignored.
///
/// Accesses the disk: only for actors with a thread of their own.
package struct LoudnessStore: Sendable {
    private static let version = "engine-loudness 1"
    private static let largestFile = 16 << 10

    private let directory: String?

    /// - Parameter directory: created when the first measurement is stored; with `nil`, nothing is stored.
    package init(directory: String?) { self.directory = directory }

    /// - Parameter key: `ByteSource.versionKey`; `nil` for a source whose versions cannot be distinguished.
    package func load(_ key: String?, stream: Int) -> Loudness? {
        guard let (path, line) = path(key, stream) else { return nil }
        do throws(RegularFile.OpenError) {
            let bytes = try SmallFile.read(path, limit: Self.largestFile)
            return Self.parse(String(decoding: bytes, as: UTF8.self), line)
        } catch {
            // Nothing has been stored, or it cannot be read: the track is measured again.
            return nil
        }
    }

    package func save(_ loudness: Loudness, _ key: String?, stream: Int) {
        guard let directory, let (path, line) = path(key, stream) else { return }
        do throws(Errno) {
            try SmallFile.write(Array(Self.text(loudness, line).utf8), to: path, makingDirectory: directory)
        } catch {
            // If it cannot be stored, the next request measures again.
        }
    }

    /// The hash only names the file. The line inside proves that the file belongs to the track.
    private func path(_ key: String?, _ stream: Int) -> (path: String, line: String)? {
        guard let directory, let key else { return nil }
        let line = "\(key) stream \(stream)"
        return ("\(directory)/\(StableHash(of: line.utf8).hexadecimal).loudness", line)
    }

    static func text(_ loudness: Loudness, _ line: String) -> String {
        let values = "\(loudness.integrated) \(loudness.range) \(loudness.truePeak) \(loudness.duration.microseconds)"
        return [version, line, values, "complete", ""].joined(separator: "\n")
    }

    /// `nil` unless `text` is a complete file that belongs to `line`.
    static func parse(_ text: String, _ line: String) -> Loudness? {
        let lines = text.split(separator: "\n")
        guard lines.count == 4, lines[0] == version, lines[1] == line, lines[3] == "complete" else { return nil }
        let words = lines[2].split(separator: " ")
        let numbers = words.dropLast().compactMap { Double($0) }
        guard words.count == 4, numbers.count == 3, numbers.allSatisfy({ !$0.isNaN }), let duration = Int64(words[3])
        else { return nil }
        return Loudness(
            integrated: numbers[0],
            range: numbers[1],
            truePeak: numbers[2],
            duration: MediaTime(microseconds: duration)
        )
    }
}
