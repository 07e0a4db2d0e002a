// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Reading

/// The properties of a source that a drawing needs, besides the cues: the fonts that are attached to it, and the size
/// of its video.
struct SourceFonts: Sendable {
    private static let countLimit = 1000
    private static let byteLimit = 256 << 20

    private(set) var fonts: [[UInt8]] = []
    private(set) var report = EmbeddedFonts()
    /// In pixels, as the video is stored.
    private(set) var storage: (width: Int, height: Int)?

    /// Opens the source. A source that cannot be opened has no fonts: its cues may be readable nevertheless, if they come
    /// from a subtitle file.
    ///
    /// - Throws: `cancelled`.
    init(
        of source: String,
        _ http: HTTPOptions,
        _ opener: SourceOpener,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        do throws(EngineError) {
            let file = try opener.open(source, http, interrupt: interrupt)
            let reader = try SourceReader(file: file, for: .reading, edits: .any, interrupt: interrupt)
            take(reader)
        } catch {
            if interrupt.isUp {
                throw EngineError(.cancelled, "drawing the subtitles of \(SourceOpener.shown(source)) was cancelled")
            }
            report.failure = "\(error)"
        }
    }

    private mutating func take(_ reader: SourceReader) {
        var byteCount = 0
        for info in reader.streamInfos() {
            if info.kind == .video, storage == nil, info.width > 0, info.height > 0 {
                storage = (info.width, info.height)
            }
            guard info.kind == .attachment, let bytes = reader.context.embeddedFile(ofStream: info.index),
                Self.isFont(bytes)
            else { continue }
            byteCount += bytes.count
            if byteCount <= Self.byteLimit, fonts.count < Self.countLimit {
                fonts.append(bytes)
            } else {
                report.leftOutCount += 1
            }
        }
        report.count = fonts.count
    }

    /// Whether a file is TrueType, OpenType, a collection of these, Type 1 or WOFF, by its first bytes: muxers do not
    /// agree on the names of the types.
    private static func isFont(_ bytes: [UInt8]) -> Bool {
        let heads = [
            [0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8), Array("ttcf".utf8), Array("wOFF".utf8),
            Array("%!PS".utf8), [0x80, 0x01],
        ]
        return heads.contains { bytes.starts(with: $0) }
    }
}

/// The fonts of a source that several drawings use, once one of them has found them.
///
/// Thread-safety: safe.
final class SharedFonts: Sendable {
    private let found = Locked<SourceFonts?>(nil)

    var fonts: SourceFonts? {
        get { found.withLock(\.self) }
        set { found.withLock { $0 = newValue } }
    }
}
