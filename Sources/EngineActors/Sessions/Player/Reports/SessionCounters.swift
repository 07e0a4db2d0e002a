// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import Reading
internal import Segments

/// A session's statistics, and when they were last published. Plain values, except for the task that publishes them.
struct SessionCounters {
    /// The shortest time between two publications, in nanoseconds.
    static let interval: Int64 = 1_000_000_000

    private(set) var statistics = Statistics()
    /// The highest index of the segments that were served.
    private(set) var lastServed = 0
    private var phase = Phase.Name.opening
    private var stalledAt: Int64?
    /// Frames dropped by earlier renderers.
    private var droppedBefore: UInt64 = 0
    /// The time that audio bridges have spent decoding and encoding.
    private var bridgingMicroseconds: UInt64 = 0
    /// The statistics when software decoding last ended. Later counts are added to them.
    private var decodedBefore = Statistics()
    private var decodingBefore: UInt64 = 0
    private var decodingMicroseconds: UInt64 = 0
    /// Publishes the statistics when `interval` has passed since the last time.
    private var publishing: Task<Void, Never>?
    private var publishedAt: Int64 = 0

    /// How long to wait before the statistics are published, in nanoseconds. `nil` if a publication is already
    /// scheduled.
    func wait(at now: Int64) -> Int64? {
        publishing == nil ? max(0, publishedAt + Self.interval - now) : nil
    }

    mutating func publish(soon publishing: Task<Void, Never>) { self.publishing = publishing }

    mutating func published(at now: Int64) {
        publishing = nil
        publishedAt = now
    }

    func cancel() { publishing?.cancel() }

    /// - Returns: `true`: the statistics may have changed.
    mutating func take(_ report: SegmentProducer.Report) -> Bool {
        statistics.segmentsMade = report.segmentsProduced
        statistics.segmentsEvicted = report.segmentsEvicted
        statistics.cacheHits = report.cacheHits
        bridgingMicroseconds = UInt64(max(0, (report.decodeNanoseconds + report.videoNanoseconds) / 1000))
        statistics.decodeMicroseconds = bridgingMicroseconds + decodingMicroseconds
        guard report.makingNanoseconds > 0 else { return true }
        let speed = Double(report.madeMicroseconds) * 1000 / Double(report.makingNanoseconds)
        statistics.productionSpeed = (speed * 10).rounded() / 10
        return true
    }

    /// - Returns: whether the statistics changed.
    mutating func noteServed(_ segment: Int) -> Bool {
        statistics.segmentsServed += 1
        lastServed = max(lastServed, segment)
        return true
    }

    mutating func rendererAttached() { droppedBefore = statistics.droppedFrames }

    /// - Parameter count: frames dropped since the renderer attached.
    /// - Returns: whether the statistics changed.
    mutating func noteDropped(_ count: UInt64) -> Bool {
        let (sum, overflow) = droppedBefore.addingReportingOverflow(count)
        let total = overflow ? .max : sum
        guard total > statistics.droppedFrames else { return false }
        statistics.droppedFrames = total
        return true
    }

    /// - Parameters:
    ///   - video, audio: counters of the source that is being decoded.
    ///   - delivered: frames that the renderer has delivered to sinks.
    /// - Returns: whether the statistics changed.
    mutating func noteDecoding(
        _ video: DecodingCounters,
        _ audio: DecodingCounters,
        _ delivered: FramesDelivered
    ) -> Bool {
        let last = statistics
        decodingMicroseconds = decodingBefore + (video.nanoseconds + audio.nanoseconds) / 1000
        statistics.decodeMicroseconds = bridgingMicroseconds + decodingMicroseconds
        statistics.decodedFrames = decodedBefore.decodedFrames + video.frames
        statistics.decodeErrors = decodedBefore.decodeErrors + video.errors + audio.errors
        statistics.picturesInPlace = decodedBefore.picturesInPlace + delivered.inPlace
        statistics.picturesCopied = decodedBefore.picturesCopied + delivered.copied
        return statistics != last
    }

    /// Later counts are added to the current ones.
    mutating func decodingEnded() {
        (decodedBefore, decodingBefore) = (statistics, decodingMicroseconds)
    }

    /// Notes a change of phase. Buffering after playing is a stall, which lasts until any other phase.
    ///
    /// - Returns: whether the statistics changed.
    mutating func noteStall(_ next: Phase.Name, at now: Int64) -> Bool {
        defer { phase = next }
        if next == .buffering, phase == .playing {
            statistics.stalls += 1
            stalledAt = now
            return true
        }
        guard next != .buffering, let since = stalledAt else { return false }
        stalledAt = nil
        statistics.stallMicroseconds += UInt64(max(0, now - since)) / 1000
        return true
    }

    mutating func note(bytesRead: UInt64, traffic: SourceTraffic, residentBytes: UInt64) {
        statistics.bytesRead = bytesRead
        statistics.traffic = traffic
        // In whole MiB: smaller changes are noise.
        statistics.residentBytes = residentBytes & ~0xF_FFFF
    }
}
