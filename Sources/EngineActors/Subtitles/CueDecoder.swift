// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Makes cues of the packets of one track, in their order. Begins in the state of a decoder that has seen nothing.
///
/// Not thread-safe: owned by whoever reads the packets, on a thread that may block.
protocol CueDecoder: AnyObject {
    /// What the source's script says before its events. Empty where the source is none.
    var scriptHeader: String { get }

    /// The cues that a packet holds or completes. None of one that cannot be decoded.
    func cues(of packet: Packet) -> [Cue]

    /// What is left at the end of the source.
    func finish() -> [Cue]
}

/// What decoders need to know of a track.
struct CueSetting: Sendable {
    let track: SubtitleTrack
    let parameters: CodecParameters
    let timeBase: TimeBase
    /// Where the timeline starts on the source's own clock.
    let origin: MediaTime
    /// Whether cues carry the lines of scripts.
    let isRaw: Bool

    /// Ticks of the stream on the session's timeline.
    func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, in: timeBase) - origin }
}

/// The one table of what decodes what.
enum CueDecoderCatalog {
    /// How long before a cue its decoder must have begun to see packets, so that it makes the same cue as one that has seen
    /// all. Zero where every packet stands for itself.
    static func runUp(of track: SubtitleTrack) -> MediaTime { track.isText ? .zero : .seconds(30) }

    static func decoder(for setting: CueSetting) throws(EngineError) -> any CueDecoder {
        let track = setting.track
        guard track.isText, SubtitleCodec.exists(for: track.codec) else { throw unsupported(track) }
        do throws(FFmpegError) {
            return TextCueDecoder(setting, try SubtitleCodec.open(setting.parameters))
        } catch {
            throw EngineError(
                .noPlayableStream,
                "the decoder of \(track.codec.rawValue) refuses subtitle track \(track.id)",
                cause: "\(error)"
            )
        }
    }

    private static func unsupported(_ track: SubtitleTrack) -> EngineError {
        EngineError(.noPlayableStream, "subtitle track \(track.id) is \(track.codec.rawValue), which cannot be decoded")
    }
}
