// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// An open subtitle file: its tracks, and their cues from start to end.
///
/// Not thread-safe: owned by one actor with its own thread.
final class SidecarReader {
    private static let brokenPacketLimit = 1000
    /// The limit for all tracks together.
    private static let cueLimit = 200_000
    private static let pictureByteLimit = 128 << 20

    private(set) var tracks: [SubtitleTrack] = []
    private let content: SidecarContent
    private let streams: [StreamInfo]
    private var context: FormatContext
    /// One decoder for each stream.
    private var decoders: [any CueDecoder] = []
    private var cueCount = 0
    private var pictureByteCount = 0
    private var furthest: Int64 = 0

    private init(_ content: SidecarContent, _ context: consuming FormatContext) {
        self.content = content
        streams = context.streamInfos()
        self.context = context
    }

    /// Opens a file that has been read and recognised.
    ///
    /// - Parameter source: the source that the file belongs to, if known.
    static func open(
        _ content: SidecarContent,
        for source: SidecarContext? = nil,
        interrupt: InterruptFlag
    ) throws(EngineError) -> SidecarReader {
        let reader: SidecarReader
        do throws(FFmpegError) {
            reader = SidecarReader(content, try FormatContext.open(content.input(for: source), interrupt: interrupt))
        } catch {
            throw EngineError(error, .sourceNotMedia, content.refusal)
        }
        guard !reader.streams.isEmpty else { throw EngineError(.sourceNotMedia, content.refusal) }
        return reader
    }

    var trackCount: Int { streams.count }

    /// Creates the tracks and their decoders. Must be called before the first packet is read.
    ///
    /// - Parameter firstID: the id of the first track; the following tracks get the following ids.
    func start(_ sidecar: Sidecar, for source: SidecarContext? = nil, firstID: Int) throws(EngineError) {
        let media = context.describe(source: content.place.shown)
        tracks = content.tracks(of: media, as: sidecar, for: source, firstID: firstID)
        for (stream, track) in zip(streams, tracks) {
            let parameters: CodecParameters
            do throws(FFmpegError) {
                parameters = try context.codecParameters(of: stream.index)
            } catch {
                throw EngineError(error, .sourceNotMedia, content.refusal)
            }
            let setting = CueSetting(
                track: track,
                parameters: parameters,
                timeBase: stream.timeBase,
                origin: .zero,
                videoCanvas: nil
            )
            decoders.append(try CueDecoderCatalog.decoder(for: setting))
        }
    }

    /// The script header of a track. Empty if the track is not a script.
    func scriptHeader(of track: SubtitleTrack) -> String {
        guard let place = tracks.firstIndex(of: track) else { return "" }
        return decoders[place].scriptHeader
    }

    /// The cues of the next packet, in file order. `nil` at the end.
    ///
    /// - Throws: `resourceExhausted` for a file with more cues, or more bytes of bitmaps, than the limits allow.
    func next() throws(EngineError) -> [Cue]? {
        guard let packet = try packet() else { return nil }
        furthest = max(furthest, packet.position ?? context.fileOffset)
        guard decoders.indices.contains(packet.streamIndex) else { return [] }
        return try counted(decoders[packet.streamIndex].cues(of: packet))
    }

    /// The cues that the decoders still hold after the last packet.
    func finish() throws(EngineError) -> [Cue] {
        try counted(decoders.flatMap { $0.finish() })
    }

    /// The fraction of the file's bytes that have been read, 0 … 1.
    var progress: Double { min(1, Double(furthest) / Double(max(1, content.byteCount))) }

    private func packet() throws(EngineError) -> Packet? {
        for _ in 0..<Self.brokenPacketLimit {
            do throws(FFmpegError) {
                return try context.readPacket()
            } catch {
                try error.mustBeBad("reading \(content.place.shown)")
            }
        }
        return nil
    }

    private func counted(_ cues: [Cue]) throws(EngineError) -> [Cue] {
        cueCount += cues.count
        for case .image(let image) in cues.map(\.content) { pictureByteCount += image.png.count }
        guard cueCount <= Self.cueLimit, pictureByteCount <= Self.pictureByteLimit else {
            let limit = "\(Self.cueLimit) cues or \(Self.pictureByteLimit >> 20) MiB of bitmaps"
            throw EngineError(.resourceExhausted, "\(content.place.shown) has more than \(limit)")
        }
        return cues
    }
}
