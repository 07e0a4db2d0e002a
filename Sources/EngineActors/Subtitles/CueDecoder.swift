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

    /// Takes a packet of the run-up, whose cues nobody wants.
    func pass(_ packet: Packet)

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
    /// The size of the pictures beside it. `nil` where there are none, or where it is not known.
    let pictures: PictureCanvas?

    /// Ticks of the stream on the session's timeline.
    func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, in: timeBase) - origin }
}

/// The one table of what decodes what.
enum CueDecoderCatalog {
    /// How long before a cue its decoder must have begun to see packets, so that it makes the same cue as one that has seen
    /// all. Zero where every packet stands for itself.
    static func runUp(of track: SubtitleTrack) -> MediaTime { isStateful(track) ? .seconds(30) : .zero }

    /// How long behind a cue packets may come that its decoder must see to make it. Zero where its own packet is all.
    static func runOut(of track: SubtitleTrack) -> MediaTime { track.codec.isCaptions ? .seconds(20) : .zero }

    /// How long before a moment a cue may have started that is on at it, where nothing else tells of longer ones.
    static func usualLength(of track: SubtitleTrack) -> MediaTime {
        track.codec.isTeletext ? CueList.longestText : .seconds(30)
    }

    /// Whether what a packet shows depends on those before it.
    static func isStateful(_ track: SubtitleTrack) -> Bool {
        !track.isText || track.codec.isCaptions || track.codec.isTeletext
    }

    static func decoder(for setting: CueSetting) throws(EngineError) -> any CueDecoder {
        let track = setting.track
        if track.codec.isCaptionService { return ServiceCueDecoder(setting) }
        guard SubtitleCodec.exists(for: track.codec) else { throw unsupported(track) }
        do throws(FFmpegError) {
            if track.codec.isCaptions {
                return CaptionCueDecoder(setting, try SubtitleCodec.captions(within: setting.parameters))
            }
            if track.codec.isTeletext {
                let options = TeletextCueDecoder.options(page: track.service)
                return TeletextCueDecoder(setting, try SubtitleCodec.open(setting.parameters, options: options))
            }
            var options: SubtitleCodec.Options = []
            // Without it, the pages of other services are shown as well. Where nothing is announced, all are.
            if track.codec.isDVBSubtitles { options = [("dvb_substream", "\(track.service)")] }
            let codec = try SubtitleCodec.open(setting.parameters, options: options)
            return track.isText ? TextCueDecoder(setting, codec) : PictureCueDecoder(setting, codec)
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
