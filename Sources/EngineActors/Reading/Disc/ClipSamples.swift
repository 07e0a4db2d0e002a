// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the streams of a Blu-ray title that its first clip lacks, in other clips that have them according to the disc.
struct ClipSamples {
    /// A part of the title.
    struct Part {
        let range: TitleBuilder.Range
        let clip: DiscClip
        /// According to the playlist.
        let streams: [BluRayPlaylist.Stream]

        /// The PIDs of the streams of some kinds that the playlist states. If the clip's own information lists streams,
        /// only those that it lists too.
        func stated(_ kinds: Set<BluRayPlaylist.Kind>) -> Set<Int> {
            let stated = Set(streams.filter { kinds.contains($0.kind) }.map(\.pid))
            return clip.streams.map(stated.intersection) ?? stated
        }
    }

    /// The maximum number of parts whose beginnings are read.
    private static let attempts = 16
    /// The numbers of bytes of a part that are read in turn, until enough audio is found.
    private static let byteCounts: [Int64] = [512 << 10, 2 << 20, 8 << 20]

    private(set) var head = TitleHead()
    /// The PIDs of the video and the audio in the first clip and in `head`, as far as the disc states them.
    private(set) var media: Set<Int>

    /// - Parameters:
    ///   - parts: all parts of the title. At least one.
    ///   - video: the PID of the video.
    init(_ parts: [Part], video: Int?, _ interrupt: InterruptFlag) throws(EngineError) {
        media = parts[0].stated([.video, .audio])
        var known = parts[0].stated([.audio, .graphics])
        var attempts = 0
        for (number, part) in parts.enumerated().dropFirst() {
            let audio = part.stated([.audio]).subtracting(known)
            let graphics = part.stated([.graphics]).subtracting(known)
            guard !audio.isEmpty || !graphics.isEmpty else { continue }
            guard attempts < Self.attempts else { break }
            attempts += 1
            let start = part.clip.start(of: part.range.entry, video)
            let reader = DiscFileReader(part.clip.file, interrupt)
            for byteCount in Self.byteCounts {
                let range = start.position..<start.position + byteCount
                // Without this, more would be requested from a server.
                if reader.isRemote { reader.expect([range]) }
                let bytes = try reader.read(range)
                let sample = TransportSample(bytes, audio: audio, listed: graphics, from: start.time)
                let isLast = byteCount == Self.byteCounts.last || bytes.count < byteCount
                guard sample.isComplete || isLast else { continue }
                head.add(sample.bytes, of: number)
                known.formUnion(sample.streams)
                media.formUnion(sample.streams.intersection(audio))
                break
            }
        }
    }
}
