// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension TrackSetup {
    /// The number of packets searched for configuration.
    static let packetLimit = 64
    /// Extradata longer than this is considered garbage.
    static let extradataLimit = 1 << 20

    /// Determines how a stream is written as a track.
    ///
    /// - Parameters:
    ///   - timescale: ticks per second of the new track, above 0.
    ///   - extradata: the container's codec private data; empty if there is none.
    ///   - firstPackets: the stream's first packets, each complete, starting at a random access point. A few are
    ///     enough; needed if the configuration is in band or the framing is uncertain.
    ///   - video, audio: the container's properties; the bitstream completes them.
    /// - Throws: `unsupportedCodec` for an unsupported codec; `missingConfiguration` if more packets may help.
    package static func resolve(
        codec: CodecID,
        timescale: UInt32,
        extradata: [UInt8],
        firstPackets: [[UInt8]],
        video: VideoProperties?,
        audio: AudioProperties?,
        language: String
    ) throws(PackagingError) -> TrackSetup {
        guard timescale > 0 else { throw PackagingError(.malformed, "a track's timescale must be above zero") }
        guard extradata.count <= extradataLimit else {
            throw PackagingError(.limitExceeded, "the codec private data is too large: \(extradata.count) bytes")
        }
        let evidence = StreamEvidence(
            codec: codec,
            timescale: timescale,
            extradata: extradata,
            firstPackets: Array(firstPackets.prefix(packetLimit)),
            video: video ?? VideoProperties(),
            audio: audio ?? AudioProperties(),
            language: language
        )
        var found = try VideoSetup.setup(of: evidence)
        if found == nil { found = try AudioSetup.setup(of: evidence) }
        guard var setup = found else {
            throw PackagingError(.unsupportedCodec, "packaging \(codec.rawValue) in fMP4 is not supported")
        }
        // A layout name for a different number of channels is meaningless.
        if let found = setup.track.audio?.channels, found != evidence.audio.channels {
            setup.track.audio?.channelLayout = ""
        }
        return setup
    }
}
