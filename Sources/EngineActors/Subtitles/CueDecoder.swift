// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes the packets of one track into cues, in packet order. A new decoder starts without any state.
///
/// Not thread-safe: owned by the actor that reads the packets, whose thread may block.
protocol CueDecoder: AnyObject {
    /// The script header of the track. Empty if the track is not a script.
    var scriptHeader: String { get }

    /// The cues that a packet contains or completes. Empty for a packet that cannot be decoded.
    func cues(of packet: Packet) -> [Cue]

    /// Decodes a packet of the preroll and discards its cues.
    func pass(_ packet: Packet)

    /// The remaining cues at the end of the source.
    func finish() -> [Cue]
}

extension SubtitleCodec {
    /// The contents of a packet, or what it completes. `nil` for a packet that cannot be decoded, which does not affect
    /// other packets.
    mutating func readable(_ packet: Packet) -> DecodedSubtitle? {
        do throws(FFmpegError) {
            return try decode(packet)
        } catch {
            return nil
        }
    }
}

/// The settings of a decoder for one track.
struct CueSetting: Sendable {
    let track: SubtitleTrack
    let parameters: CodecParameters
    let timeBase: TimeBase
    /// The start of the timeline on the source's own clock.
    let origin: TimelineOrigin
    /// The size of the video in the same source. `nil` if there is no video, or if its size is unknown.
    let videoCanvas: PictureCanvas?

    /// Converts ticks of the stream to a time on the session's timeline.
    func time(_ ticks: Int64) -> MediaTime { origin.presentation(of: ticks, in: timeBase) }
}

/// The table that maps codecs to decoders.
enum CueDecoderCatalog {
    /// How long before a cue its decoder must start, so that it outputs the same cue as after decoding every packet.
    /// Zero where packets are independent.
    static func preroll(of track: SubtitleTrack) -> MediaTime { isStateful(track) ? .seconds(30) : .zero }

    /// How long after a cue its decoder may need packets to output it. Zero where the cue's own packet is enough.
    static func postroll(of track: SubtitleTrack) -> MediaTime { track.codec.isCaptions ? .seconds(20) : .zero }

    /// How long before a moment to look for cues that are still on screen, unless the container marks longer ones.
    static func usualLength(of track: SubtitleTrack) -> MediaTime {
        track.codec.isTeletext || track.codec == DiscText.codec ? CueList.longestText : .seconds(30)
    }

    /// Whether the result of a packet depends on the packets before it.
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
            // Without this option, the decoder also outputs the pages of other services. If the source announces none,
            // all pages are decoded.
            if track.codec.isDVBSubtitles { options = [("dvb_substream", "\(track.service)")] }
            let codec = try SubtitleCodec.open(setting.parameters, options: options)
            return track.isText ? TextCueDecoder(setting, codec) : PictureCueDecoder(setting, codec)
        } catch {
            throw EngineError(
                .noPlayableStream,
                "the \(track.codec.rawValue) decoder rejected subtitle track \(track.id)",
                cause: "\(error)"
            )
        }
    }

    private static func unsupported(_ track: SubtitleTrack) -> EngineError {
        EngineError(.noPlayableStream, "subtitle track \(track.id) is \(track.codec.rawValue), which cannot be decoded")
    }
}
