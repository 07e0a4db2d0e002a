// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// How far apart in a source the packets of different tracks with the same time may lie, and therefore how long readers wait
/// for one of them.
package enum Interleaving: Hashable, Sendable {
    /// The whole source can be read at once. Waiting costs nothing, so that badly interleaved files are read correctly.
    case stored
    /// A transport stream that arrives as it happens, of unknown length: waiting is delay. Broadcasts keep their tracks within
    /// about two seconds.
    case live

    /// That of a source as it is now. It must not change while the source is open.
    init(of source: any ByteSource, in container: ContainerFormat) {
        let isUnbounded = source.growth.map { $0.expectedByteCount == nil } ?? false
        let neverEnds = (source.isRemote || source.arrivesByItself) && isUnbounded
        let isLive = neverEnds && container.isMPEGTS
        self = isLive ? .live : .stored
    }

    /// Video this far past a time without audio means that the audio has a gap there, or has ended. Muxers of files hold
    /// audio back for up to ten seconds.
    var gap: MediaTime { self == .live ? .seconds(4) : .seconds(12) }

    /// How much of a source is looked at for what its streams are. Where that is delay, the parameters of a stream have to be
    /// in its first packets, which broadcasts repeat often. `nil`: as much as it takes.
    var patience: MediaTime? { self == .live ? .seconds(2) : nil }

    /// A decode time this much earlier than the previous one of its track belongs to another clock.
    var stepBack: MediaTime { self == .live ? .seconds(1.5) : .seconds(1) }

    /// The same for a later decode time. In a file, a gap stays a gap, so that times are those that other tools show; but
    /// libavformat may mistake an earlier clock for one that has wrapped.
    var stepAhead: MediaTime { self == .live ? .seconds(10) : .seconds(3600) }

    /// The target duration of segments. A viewer of something live is behind by at least one segment, so that segments are
    /// shorter unless the client asks for another length.
    package func target(_ options: LoadOptions) -> MediaTime {
        guard self == .live, options.segmentTarget == LoadOptions().segmentTarget else { return options.segmentTarget }
        return .seconds(2)
    }
}
