// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

@testable import Bindings
@testable import Decoding
@testable import Reading
@testable import Segments
@testable import Sessions
@testable import Stills
@testable import Subtitles
@testable import Packaging
import Validation

/// The input is a source. All its cues are decoded: its subtitle tracks and the captions in its video.
func exerciseTracks(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, let file = try? SourceFile.open(Folder.put(bytes, as: "source")) else { return }
    do throws(EngineError) {
        let interrupt = InterruptFlag()
        let opening = try SourceReader(file: file, for: .reading, edits: .any, interrupt: interrupt)
        try opening.findStreamInfo()
        let media = try SourceExaminer(opening, program: .automatic).describe(options: LoadOptions())
        let unlisted = [SubtitleTrack.firstCaption, SubtitleTrack.firstService].compactMap { media.unlistedTrack($0) }
        let tracks = (media.subtitleTracks + unlisted).prefix(4)
        let streams = Set(tracks.compactMap(\.stream))
        let reader = try SubtitleReader(file, edits: .any, streams: streams, lead: nil, interrupt: interrupt)
        var decoders: [(track: SubtitleTrack, decoder: any CueDecoder)] = []
        for track in tracks {
            guard let setting = try? reader.setting(track, origin: .zero),
                let decoder = try? CueDecoderCatalog.decoder(for: setting)
            else { continue }
            decoders.append((track, decoder))
        }
        var stream = CueStream()
        var count = 0
        while count < 2000, case .subtitle(let packet) = try next(of: reader) {
            count += 1
            for (track, decoder) in decoders where track.stream == packet.streamIndex {
                stream.add(decoder.cues(of: packet))
            }
        }
        for (_, decoder) in decoders { stream.add(decoder.finish()) }
        exerciseList(stream.finish())
    } catch {
        expect(!error.message.isEmpty, "a failure says what it is")
    }
}

private func next(of reader: SubtitleReader) throws(EngineError) -> SubtitleReader.Reading {
    while true {
        let reading = try reader.next()
        if case .lead = reading { continue }
        return reading
    }
}

/// The input is a byte for the kind of a sidecar file, then the file; for a VobSub index, pieces: the index, its bitmaps.
func exerciseFiles(_ bytes: [UInt8]) {
    guard let kind = bytes.first else { return }
    let kinds = ["srt", "ass", "ssa", "vtt", "sup", "idx", "sub", "txt"]
    let name = "film.\(kinds[Int(kind & 7)])"
    var content = Array(bytes.dropFirst())
    if name == "film.idx" {
        let parts = pieces(content, limit: 2)
        guard parts.count == 2 else { return }
        content = parts[0]
        _ = Folder.put(parts[1], as: "film.sub")
    }
    var sidecar = Sidecar(path: Folder.put(content, as: name))
    sidecar.charset = ["", "", "UTF-16", "GB18030"][Int(kind >> 3 & 3)]
    do throws(EngineError) {
        let film = SidecarContext(name: "film.mkv", frameRate: Ratio(25, 1))
        let interrupt = InterruptFlag()
        let fetcher = SidecarFetcher(HTTPOptions(), SourceOpener(), of: "film.mkv", interrupt: interrupt)
        let content = try SidecarContent(sidecar, by: fetcher)
        let file = try SidecarFile.open(content, for: film, interrupt: interrupt)
        let reader = try SidecarReader(file, as: sidecar, for: film, firstID: SubtitleTrack.firstSidecar)
        var stream = CueStream()
        while let cues = try reader.next() {
            expect((0...1).contains(reader.progress), "progress is a part")
            stream.add(cues)
        }
        stream.add(try reader.finish())
        exerciseList(stream.finish())
    } catch {
        expect(!error.message.isEmpty, "a failure says what it is")
    }
}

/// Written as WebVTT, cues can be read again; and a list of them gives the cues of any range.
private func exerciseList(_ cues: [Cue]) {
    expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start }, "cues come in order")
    expect(Set(cues.map(\.id)).count == cues.count, "a cue is there once")
    var list = CueList()
    for (place, cue) in cues.enumerated() { list.set([cue], track: cue.track, unit: place % 7) }
    list.shrink(to: 4096, keepingNear: 3, butFor: (cues.first?.track ?? 0, 0))
    _ = list.cues(of: Set(cues.map(\.track)), in: 1...5, and: [0])
    for cue in cues {
        if case .image(let image) = cue.content {
            expect(image.width > 0 && image.height > 0 && !image.png.isEmpty, "a picture has pixels")
            let isOnCanvas = (0...1).contains(image.corner.x) && (0...1).contains(image.corner.y)
            expect(isOnCanvas, "a picture begins on its canvas: \(image.corner)")
        }
    }
    let texts = cues.filter { if case .text = $0.content { $0.start >= .zero } else { false } }
    // Players do not read numbers with more digits.
    let range = MediaTimeRange(start: .zero, end: .seconds(360_000))
    let near = texts.filter { $0.start < range.end && $0.end.map { $0 < range.end } ?? true }
    let segment = WebVTTSegment.bytes(of: near, in: range)
    let (facts, problems) = TextSegmentFacts.read(segment, subject: "segment")
    expect(problems.isEmpty, "what is written as WebVTT is WebVTT: \(problems)")
    expect(facts.cues.count <= near.count, "no cue becomes two")
}
