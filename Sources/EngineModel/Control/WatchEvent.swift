// SPDX-License-Identifier: Apache-2.0

/// One message of a watch.
public enum WatchEvent: Hashable, Sendable {
    /// The whole state, limited to the requested fields: a session's first event.
    case snapshot(SessionState)
    case delta(StateDelta)
    case time(TimeEvent)
    case notice(SessionID, Notice)
    /// This many events (notices, seeks, ends of sessions) were dropped because the watcher was too slow.
    case gap(dropped: Int)
    /// The session has ended. Carries the failure that ended it, if any.
    case closed(SessionID, EngineError?)
    case seek(SessionID, SeekEvent)
    case cue(SessionID, CueEvent)
    /// The events of one batch interval.
    case batch([WatchEvent])
}

/// The groups of a state that changed.
public struct StateDelta: Hashable, Sendable {
    public var fields: StateFields
    /// Only the groups in `fields`, the id and the revision are meaningful.
    public var state: SessionState

    public init(fields: StateFields, state: SessionState) {
        self.fields = fields
        self.state = state
    }
}

/// The position of a moving playhead at one moment.
public struct TimeEvent: Hashable, Sendable {
    public var session: SessionID
    /// The revision of the state that the position is extrapolated from.
    public var revision: UInt64
    public var position: MediaTime
    public var rate: Double
    /// CLOCK_MONOTONIC.
    public var monotonicNanoseconds: Int64

    public init(
        session: SessionID,
        revision: UInt64,
        position: MediaTime,
        rate: Double,
        monotonicNanoseconds: Int64
    ) {
        self.session = session
        self.revision = revision
        self.position = position
        self.rate = rate
        self.monotonicNanoseconds = monotonicNanoseconds
    }
}

extension SessionState {
    /// Brings this state to the revision of `delta`.
    public mutating func apply(_ delta: StateDelta) {
        let new = delta.state
        revision = new.revision
        if delta.fields.contains(.identity) {
            (source, url, storyboardURL) = (new.source, new.url, new.storyboardURL)
        }
        if delta.fields.contains(.phase) { (phase, sourceWait) = (new.phase, new.sourceWait) }
        if delta.fields.contains(.position) { position = new.position }
        if delta.fields.contains(.duration) {
            (duration, seekable) = (new.duration, new.seekable)
            (isGrowing, live) = (new.isGrowing, new.live)
        }
        if delta.fields.contains(.buffered) { buffered = new.buffered }
        if delta.fields.contains(.production) { production = new.production }
        if delta.fields.contains(.media) { media = new.media }
        if delta.fields.contains(.format) {
            (videoFormat, sourceVideoFormat) = (new.videoFormat, new.sourceVideoFormat)
            (route, profile, path) = (new.route, new.profile, new.path)
        }
        if delta.fields.contains(.audio) { selectedAudio = new.selectedAudio }
        if delta.fields.contains(.settings) {
            (volume, isMuted, isLooping) = (new.volume, new.isMuted, new.isLooping)
            (rateRange, loopPoints, delays) = (new.rateRange, new.loopPoints, new.delays)
        }
        if delta.fields.contains(.chapter) { chapter = new.chapter }
        if delta.fields.contains(.metadata) { (metadata, coverArtURL) = (new.metadata, new.coverArtURL) }
        if delta.fields.contains(.statistics) { statistics = new.statistics }
        if delta.fields.contains(.renderer) { renderer = new.renderer }
        if delta.fields.contains(.subtitles) {
            (subtitleTracks, selectedSubtitles) = (new.subtitleTracks, new.selectedSubtitles)
        }
        if delta.fields.contains(.filters) {
            (adjustments, filters, overlays) = (new.adjustments, new.filters, new.overlays)
        }
        if delta.fields.contains(.recording) { recording = new.recording }
        if delta.fields.contains(.guide) { guide = new.guide }
    }
}
