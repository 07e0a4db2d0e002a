// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// A source as the engine's own renderer uses it: one feed reads it, and two decoders decode it.
///
/// Thread-safety: safe. One task asks for frames and one for audio.
package final class RendererSource: DecodedSource {
    private let source: DecodingSource
    private let video: Int?
    private let treatment: SharedTreatment?
    private let sound: SharedSound?
    private let rotation: Int
    private let aspect: Ratio?
    private let fields: Deinterlacer.Rate?
    private let onVariant: (@Sendable (VariantCourse.Report) -> Void)?
    private let allocation = FrameAllocation()
    private let content: Locked<RendererSourceContent>

    /// - Parameters:
    ///   - video: the video stream to decode, if any.
    ///   - audio: the audio stream to decode, if any.
    ///   - fields: how interlaced frames are deinterlaced; `nil` leaves them as they are.
    ///   - plan: where the source can be entered, if known.
    ///   - treatment: the processing applied to frames before they are returned.
    ///   - sound: how audio is changed before it is returned; `nil`: not at all.
    ///   - rotation: how far frames are rotated clockwise for display, in degrees.
    ///   - aspect: the pixel aspect ratio, where a frame does not give one.
    ///   - onVariant: as for `PacketFeed`.
    package init(
        _ source: DecodingSource,
        video: Int?,
        audio: Int?,
        fields: Deinterlacer.Rate? = nil,
        plan: SegmentPlan?,
        treatment: SharedTreatment? = nil,
        sound: SharedSound? = nil,
        rotation: Int = 0,
        aspect: Ratio? = nil,
        onVariant: (@Sendable (VariantCourse.Report) -> Void)? = nil
    ) {
        self.source = source
        self.onVariant = onVariant
        self.video = video
        self.fields = fields
        self.treatment = treatment
        self.sound = sound
        self.rotation = rotation
        self.aspect = aspect
        content = Locked(RendererSourceContent(audio: audio, plan: plan))
    }

    /// The counters of video and audio decoding since the source was opened.
    package var counters: (video: DecodingCounters, audio: DecodingCounters) {
        content.withLock { ($0.videoCounters, $0.audioCounters) }
    }

    /// Uses a longer plan of the same source, from the next pass on.
    package func follow(_ plan: SegmentPlan) { content.withLock { $0.plan = plan } }

    /// Selects another audio stream, from the next pass on.
    package func select(audio: Int?) { content.withLock { $0.audio = audio } }

    /// From the next pass on, audio is played this much later, or earlier if negative. Has no effect without video.
    ///
    /// - Returns: whether the delay has changed.
    @discardableResult
    package func delay(audio: MediaTime) -> Bool {
        let delay = video == nil ? .zero : audio
        return content.withLock { content in
            defer { content.audioDelay = delay }
            return content.audioDelay != delay
        }
    }

    // MARK: DecodedSource

    package func begin(pass: UInt64, at position: MediaTime, _ required: RequiredMedia) async throws(EngineError) {
        let (decoding, old, plan, delay) = content.withLock { content in
            let streams = SourceDecoding.Streams(
                video: required.video ? video : nil,
                audio: required.audio ? content.audio : nil
            )
            return content.begin(pass: pass, streams) {
                SourceDecoding(source, streams, sound: sound, onVariant: onVariant) { [self] feed in
                    SoftwareVideoDecoder(
                        feed: feed,
                        deinterlacing: fields,
                        treatment: treatment,
                        rotation: rotation,
                        aspect: aspect,
                        allocation: allocation
                    )
                }
            }
        }
        old?.close()
        guard let decoding else { return }
        if let plan { await decoding.feed.follow(plan) }
        await decoding.feed.choose(audio: decoding.streams.audio, delayedBy: delay)
        try await decoding.feed.enter(at: position, generation: pass)
    }

    package func nextFrame(pass: UInt64) async throws(EngineError) -> Supply<TimedFrame> {
        while true {
            let step = content.withLock { $0.nextFrame(pass) }
            guard case .decode(let decoding, let late) = step else { return step.supply }
            switch try await decoding.video.next(generation: pass, late: late) {
            case .some(let frames): content.withLock { $0.keep(frames, pass) }
            case .ended: return .ended
            case .superseded: return .superseded
            }
        }
    }

    package func nextAudio(pass: UInt64) async throws(EngineError) -> Supply<TimedAudio> {
        while true {
            let step = content.withLock { $0.nextAudio(pass) }
            guard case .decode(let decoding, _) = step else { return step.supply }
            switch try await decoding.audio.next(generation: pass) {
            case .some(let pieces): content.withLock { $0.keep(pieces, pass) }
            case .ended: return .ended
            case .superseded: return .superseded
            }
        }
    }

    package func decode(into memory: (any DecoderMemory)?) { allocation.use(memory) }

    package func narrow(to required: RequiredMedia) {
        let unwanted = content.withLock { $0.narrow(to: required) }
        // The task ends once the decoder's thread has finished its current call.
        if let (video, pass) = unwanted { Task { await video.stop(through: pass) } }
    }

    package func catchUp(to position: MediaTime?) { content.withLock { $0.target = position } }

    package func close() { content.withLock { $0.close() }?.close() }
}

/// The actors that decode some streams of a source.
package struct SourceDecoding: Sendable {
    struct Streams: Hashable, Sendable {
        var video: Int?
        var audio: Int?

        var isEmpty: Bool { video == nil && audio == nil }
    }

    var streams: Streams
    let feed: PacketFeed
    let video: SoftwareVideoDecoder
    let audio: SoftwareAudioDecoder

    init(
        _ source: DecodingSource,
        _ streams: Streams,
        sound: SharedSound?,
        onVariant: (@Sendable (VariantCourse.Report) -> Void)?,
        video: (PacketFeed) -> SoftwareVideoDecoder
    ) {
        self.streams = streams
        feed = PacketFeed(source, video: streams.video, audio: streams.audio, onVariant: onVariant)
        self.video = video(feed)
        audio = SoftwareAudioDecoder(feed: feed, sound: sound)
    }

    /// Stops running work, frees memory and threads, and closes the file.
    func close() {
        feed.interrupt()
        // Callers do not wait: each actor closes after its current call has returned.
        Task {
            await video.close()
            await audio.close()
            await feed.close()
        }
    }
}
