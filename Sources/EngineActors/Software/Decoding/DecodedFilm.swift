// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// A film that is read by a feed and decoded by two decoders, as a renderer in the engine asks for it.
///
/// Thread-safety: safe. Pictures and sound are each asked for by one task.
package final class DecodedFilm: DecodedSource {
    private let source: FilmSource
    private let video: Int?
    private let look: PictureLook?
    private let rotation: Int
    private let aspect: Ratio?
    private let fields: Deinterlacer.Rate?
    private let allocation = PictureAllocation()
    private let content: Locked<DecodedFilmContent>

    /// - Parameters:
    ///   - video: the stream whose pictures are decoded, if any.
    ///   - audio: the stream that is heard, if any.
    ///   - fields: what becomes of pictures that hold two fields; `nil` leaves them as they are.
    ///   - plan: where the source can be entered, as far as that is known.
    ///   - look: what is done to pictures before they are given.
    ///   - rotation: by how much they are turned clockwise before they are seen.
    ///   - aspect: of a pixel, where a picture does not say.
    package init(
        _ source: FilmSource,
        video: Int?,
        audio: Int?,
        fields: Deinterlacer.Rate? = nil,
        plan: SegmentPlan?,
        look: PictureLook? = nil,
        rotation: Int = 0,
        aspect: Ratio? = nil
    ) {
        self.source = source
        self.video = video
        self.fields = fields
        self.look = look
        self.rotation = rotation
        self.aspect = aspect
        content = Locked(DecodedFilmContent(audio: audio, plan: plan))
    }

    /// What decoding has come across and taken since the film was opened, of pictures and of sound.
    package var counters: (pictures: DecodingCounters, sound: DecodingCounters) {
        content.withLock { ($0.pictureCounters, $0.soundCounters) }
    }

    /// Takes a longer plan of the same source, from the next pass on.
    package func follow(_ plan: SegmentPlan) { content.withLock { $0.plan = plan } }

    /// Another stream is heard, from the next pass on.
    package func select(audio: Int?) { content.withLock { $0.audio = audio } }

    // MARK: DecodedSource

    package func begin(pass: UInt64, at position: MediaTime, _ wishes: MediaWishes) async throws(EngineError) {
        let (decoding, old, plan) = content.withLock { content in
            let streams = FilmDecoding.Streams(
                video: wishes.pictures ? video : nil,
                audio: wishes.sound ? content.audio : nil
            )
            return content.begin(pass: pass, streams) {
                FilmDecoding(source, streams) { [self] feed in
                    SoftwareVideoDecoder(
                        feed: feed,
                        deinterlacing: fields,
                        look: look,
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
        await decoding.feed.choose(audio: decoding.streams.audio)
        try await decoding.feed.enter(at: position, generation: pass)
    }

    package func nextPicture(pass: UInt64) async throws(EngineError) -> Supply<TimedPicture> {
        while true {
            let step = content.withLock { $0.nextPicture(pass) }
            guard case .decode(let decoding, let late) = step else { return step.supply }
            switch try await decoding.pictures.next(generation: pass, late: late) {
            case .some(let pictures): content.withLock { $0.keep(pictures, pass) }
            case .ended: return .ended
            case .superseded: return .superseded
            }
        }
    }

    package func nextSound(pass: UInt64) async throws(EngineError) -> Supply<TimedSound> {
        while true {
            let step = content.withLock { $0.nextSound(pass) }
            guard case .decode(let decoding, _) = step else { return step.supply }
            switch try await decoding.sound.next(generation: pass) {
            case .some(let sounds): content.withLock { $0.keep(sounds, pass) }
            case .ended: return .ended
            case .superseded: return .superseded
            }
        }
    }

    package func decode(into memory: (any PictureMemory)?) { allocation.use(memory) }

    package func narrow(to wishes: MediaWishes) {
        let unwanted = content.withLock { $0.narrow(to: wishes) }
        // Ends when the decoder's thread is done with what runs.
        if let (pictures, pass) = unwanted { Task { await pictures.rest(pass) } }
    }

    package func catchUp(to position: MediaTime?) { content.withLock { $0.target = position } }

    package func close() { content.withLock { $0.close() }?.close() }
}

/// The actors that decode some streams of a film.
struct FilmDecoding: Sendable {
    struct Streams: Hashable, Sendable {
        var video: Int?
        var audio: Int?

        var isEmpty: Bool { video == nil && audio == nil }
    }

    var streams: Streams
    let feed: PacketFeed
    let pictures: SoftwareVideoDecoder
    let sound: SoftwareAudioDecoder

    init(_ source: FilmSource, _ streams: Streams, pictures: (PacketFeed) -> SoftwareVideoDecoder) {
        self.streams = streams
        feed = PacketFeed(source, video: streams.video, audio: streams.audio)
        self.pictures = pictures(feed)
        sound = SoftwareAudioDecoder(feed: feed)
    }

    /// Ends what runs, and gives memory, threads and the file back.
    func close() {
        feed.interrupt()
        // Whoever closes does not wait; what is asked last is done when what runs has returned.
        Task {
            await pictures.close()
            await sound.close()
            await feed.close()
        }
    }
}
