// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Makes cues of the text subtitles of a Blu-ray disc. A packet holds the number of a dialog.
final class DiscTextDecoder: CueDecoder {
    /// The height, in lines, of the plane on which discs place text. For a smaller video, the plane is as high as the
    /// video.
    private static let planeHeight = 1080
    /// The maximum length of a run in UTF-8, in bytes. On the disc, a run has at most 255 bytes.
    private static let textLimit = 4096

    private let text: DiscText
    private let track: Int
    private let origin: TimelineOrigin
    private let height: Int

    let scriptHeader = ""

    /// - Parameters:
    ///   - track: the id of the track.
    ///   - origin: the start of the timeline on the source's clock.
    ///   - videoHeight: in lines; `nil` if unknown.
    init(_ text: DiscText, track: Int, origin: TimelineOrigin, videoHeight: Int?) {
        self.text = text
        self.track = track
        self.origin = origin
        height = min(videoHeight.flatMap { $0 > 0 ? $0 : nil } ?? Self.planeHeight, Self.planeHeight)
    }

    /// The packets of the dialogs that begin in a range of the timeline.
    func packets(of stream: Int, in range: MediaTimeRange) -> [Packet] {
        text.dialogs.indices.filter { place in
            let start = time(text.dialogs[place].start)
            return range.start <= start && start < range.end
        }.map { place in
            Packet(Array("\(place)".utf8), stream: stream, pts: text.dialogs[place].start)
        }
    }

    /// The cues of all dialogs, in order.
    func cues() -> [Cue] { text.dialogs.flatMap(cues) }

    func cues(of packet: Packet) -> [Cue] {
        let place = Int(String(decoding: packet.bytes, as: UTF8.self))
        return place.map { text.dialogs.indices.contains($0) ? cues(of: text.dialogs[$0]) : [] } ?? []
    }

    func pass(_ packet: Packet) {}

    func finish() -> [Cue] { [] }

    private func time(_ ticks: Int64) -> MediaTime { origin.presentation(of: ticks, in: DiscText.timeBase) }

    private func cues(of dialog: TextDialog) -> [Cue] {
        dialog.regions.compactMap { region in
            let runs = runs(of: region)
            let plain = runs.map(\.text).joined()
            guard plain.contains(where: { !$0.isWhitespace }) else { return nil }
            let shown = CueText(plain: plain, runs: runs, alignment: alignment(of: region))
            return Cue(
                track: track,
                start: time(dialog.start),
                end: time(dialog.end),
                content: .text(shown),
                isForced: region.isForced
            )
        }
    }

    /// The text of a region. Adjoining runs with the same style are joined.
    private func runs(of region: TextDialog.Region) -> [TextRun] {
        var runs: [TextRun] = []
        for (number, line) in region.lines.enumerated() {
            if number > 0, !runs.isEmpty { runs[runs.count - 1].text += "\n" }
            for run in line {
                var next = TextRun(text: decoded(run.bytes))
                (next.isBold, next.isItalic) = (run.font.isBold, run.font.isItalic)
                if let last = runs.last, last.isBold == next.isBold, last.isItalic == next.isItalic {
                    runs[runs.count - 1].text += next.text
                } else {
                    runs.append(next)
                }
            }
        }
        while let last = runs.last, last.text.last == "\n" { runs[runs.count - 1].text = String(last.text.dropLast()) }
        return runs
    }

    private func decoded(_ bytes: [UInt8]) -> String {
        guard var converter = CharsetConverter(text.charset), let found = converter.utf8(bytes, limit: Self.textLimit)
        else { return "" }
        return String(decoding: found.text, as: UTF8.self)
    }

    private func alignment(of region: TextDialog.Region) -> Int {
        guard let style = region.style else { return 2 }
        let column =
            switch style.column {
            case .left: 1
            case .centre: 2
            case .right: 3
            }
        switch style.row(height: height) {
        case .bottom: return column
        case .middle: return column + 3
        case .top: return column + 6
        }
    }
}
