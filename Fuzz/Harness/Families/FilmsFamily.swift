// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

@testable import Bindings
@testable import Decoding
@testable import Reading
@testable import Segments
@testable import Sessions
@testable import Stills
@testable import Subtitles

/// The input is a source. Its video and audio are decoded as on the software path: from the start, then from a later
/// position.
func exerciseFilms(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let path = Folder.put(bytes, as: "film")
    guard let file = try? SourceFile.open(path) else { return }
    waiting {
        guard let media = try? await Demuxer(name: "fuzz").describe(path, options: LoadOptions()) else { return }
        let video = media.streams.first { $0.kind == .video }?.index
        let audio = media.streams.first { $0.kind == .audio }?.index
        let feed = PacketFeed(.file(file), video: video, audio: audio)
        let videoDecoder = SoftwareVideoDecoder(feed: feed, deinterlacing: .field, usesDevices: false)
        let audioDecoder = SoftwareAudioDecoder(feed: feed)
        for (generation, time) in [(1 as UInt64, MediaTime.zero), (2, .seconds(0.3))] {
            do throws(EngineError) {
                try await feed.enter(at: time, generation: generation)
                if video != nil { try await exercise(videoDecoder, generation) }
                if audio != nil { try await exercise(audioDecoder, generation, from: time) }
            } catch {
                expect(!error.message.isEmpty, "a failure says what it is")
            }
        }
        await videoDecoder.close()
        await audioDecoder.close()
        await feed.close()
    }
}

/// The limit of batches: a few bytes may be many frames.
private let batchLimit = 40

private func exercise(_ decoder: SoftwareVideoDecoder, _ generation: UInt64) async throws(EngineError) {
    var queue = FrameQueue()
    var last: MediaTime?
    var count = 0
    for _ in 0..<batchLimit {
        guard case .some(let frames) = try await decoder.next(generation: generation) else { return }
        expect(!frames.isEmpty, "a batch is not empty")
        for timed in frames {
            count += 1
            expect(timed.frame.width > 0 && timed.frame.height > 0, "a frame has a size")
            expect(timed.duration > .zero, "a frame lasts: \(timed.duration)")
            expect(last.map { $0 < timed.time } ?? true, "frames come in order")
            last = timed.time
            queue.append(timed, lap: 1)
        }
        if !queue.hasRoom { queue.trim(to: last ?? .zero, lap: 1) }
    }
}

private func exercise(
    _ decoder: SoftwareAudioDecoder,
    _ generation: UInt64,
    from start: MediaTime
) async throws(EngineError) {
    var queue = AudioQueue(from: start, lap: 1)
    let processor = AudioProcessor()
    let format = AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 3))
    let settings = AudioSettings(format: format, rate: 1, gain: 1, generation: generation)
    var mixer = TapMixer()
    for _ in 0..<batchLimit {
        guard case .some(let pieces) = try await decoder.next(generation: generation) else { return }
        for audio in pieces {
            expect(audio.block.count > 0, "a batch has samples")
            queue.append(audio)
            mixer.add([audio])
            do {
                while let output = try mixer.next() {
                    if case .samples(let piece) = output { bound(piece.samples.count * 4) }
                }
            } catch {
                // This audio cannot be converted. Go on with the next.
                mixer.reset()
            }
            // The renderer prepares samples in such portions.
            let pieces = await processor.process(queue.take(MediaTime(microseconds: 80_000)), settings)
            bound(pieces.reduce(0) { $0 + $1.audio.block.count * format.stride })
        }
        queue.trim(to: queue.end, lap: 1)
    }
}

/// The most memory for one portion of audio, in bytes.
private func bound(_ byteCount: Int) { expect(byteCount <= 64 << 20, "a portion of sound has \(byteCount) bytes") }
