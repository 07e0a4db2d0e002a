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
    /// The maximum number of cues, of all tracks together.
    private static let cueLimit = 200_000
    private static let pictureByteLimit = 128 << 20

    let tracks: [SubtitleTrack]
    private let content: SidecarContent
    private var context: FormatContext
    /// One decoder for each stream.
    private var decoders: [any CueDecoder] = []
    private var cueCount = 0
    private var pictureByteCount = 0
    private var furthest: Int64 = 0

    /// Creates the tracks of a file and their decoders.
    ///
    /// - Parameter firstID: the id of the first track; the following tracks get the following ids.
    init(
        _ file: consuming SidecarFile,
        as sidecar: Sidecar,
        for source: SidecarContext? = nil,
        firstID: Int
    ) throws(EngineError) {
        content = file.content
        let streams = file.streams
        context = file.context
        tracks = content.tracks(
            of: context.describe(source: content.place.shown),
            as: sidecar,
            for: source,
            firstID: firstID
        )
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
