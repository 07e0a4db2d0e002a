// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Changes the samples of decoded audio, before anything else is done to it. Belongs to the decoder's thread.
///
/// Each piece keeps its time and its length. It is returned once a few more milliseconds of audio were added. The
/// filters restart after a gap and when the format changes. If they fail, the rest passes unchanged.
struct SoundStage {
    private final class Filtering {
        let input: AudioFormat
        let output: AudioFormat
        private var filter: SoundFilter
        private var converter: AudioConverter?

        init(_ chain: SoundChain, limiter: String, _ format: AudioFormat) throws(FFmpegError) {
            input = format
            output = AudioFormat(samples: .float, rate: format.rate, layout: format.layout)
            let filters = [chain.shaping(format.layout.mask), limiter]
            filter = try SoundFilter.open(filters.filter { !$0.isEmpty }.joined(separator: ","), output)
            converter = input == output ? nil : try AudioConverter.open(from: input, to: output)
        }

        func process(_ block: SampleBlock) throws(FFmpegError) -> SampleBlock {
            try filter.process(converter?.convert(block) ?? block)
        }

        func finish() throws(FFmpegError) -> SampleBlock { try filter.finish() }
    }

    private let chain: SoundChain
    private let limiter: (Int) -> String
    private let onFailure: (String) -> Void
    private var filtering: Filtering?
    private var hasFailed = false
    /// The pieces whose samples are not complete yet.
    private var waiting: ArraySlice<TimedAudio> = []
    /// Filtered samples, from the start of the first piece in `waiting` on.
    private var samples: [UInt8] = []

    /// - Parameters:
    ///   - limiter: the limiter for a sample rate.
    ///   - onFailure: is called with the reason when the filters fail.
    init(
        _ chain: SoundChain,
        limiter: @escaping (Int) -> String = SoundChain.limiter,
        onFailure: @escaping (String) -> Void
    ) {
        self.chain = chain
        self.limiter = limiter
        self.onFailure = onFailure
    }

    /// - Returns: the pieces that are complete, in order.
    mutating func apply(_ piece: TimedAudio) -> [TimedAudio] {
        let isNew = filtering == nil || piece.isDiscontinuous || filtering?.input != piece.format
        var complete = isNew ? finish() : []
        guard !hasFailed else { return complete + [piece] }
        waiting.append(piece)
        do throws(FFmpegError) {
            if filtering == nil { filtering = try Filtering(chain, limiter: limiter(piece.format.rate), piece.format) }
            samples += try filtering?.process(piece.block).planes.first ?? []
        } catch {
            return complete + giveUp(error)
        }
        complete += takeComplete()
        return complete
    }

    /// The pieces that still wait. The next piece begins with filters in their initial state.
    mutating func finish() -> [TimedAudio] {
        guard let filtering else { return [] }
        defer { self.filtering = nil }
        do throws(FFmpegError) {
            samples += try filtering.finish().planes.first ?? []
        } catch {
            return giveUp(error)
        }
        let complete = takeComplete()
        samples = []
        return complete
    }

    private mutating func takeComplete() -> [TimedAudio] {
        guard let format = filtering?.output else { return [] }
        var complete: [TimedAudio] = []
        var used = 0
        while let piece = waiting.first, samples.count - used >= piece.block.count * format.stride {
            let size = piece.block.count * format.stride
            let block = SampleBlock(planes: [Array(samples[used..<used + size])], count: piece.block.count)
            used += size
            waiting.removeFirst()
            complete.append(
                TimedAudio(
                    format: format,
                    block: block,
                    time: piece.time,
                    isDiscontinuous: piece.isDiscontinuous,
                    rate: piece.rate
                )
            )
        }
        samples.removeFirst(used)
        return complete
    }

    /// - Returns: the pieces that still wait, with their original samples.
    private mutating func giveUp(_ error: FFmpegError) -> [TimedAudio] {
        onFailure(error.description)
        (filtering, hasFailed, samples) = (nil, true, [])
        defer { waiting = [] }
        return Array(waiting)
    }
}
