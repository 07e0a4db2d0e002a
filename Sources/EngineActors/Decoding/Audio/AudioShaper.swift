// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Samples with their time on the timeline.
struct ShapedAudio {
    let block: SampleBlock
    let time: MediaTime
    let rate: Double
}

/// Converts gapless audio to one format and one tempo, and tracks the timeline position of each sample.
struct AudioShaper {
    private final class Stretching {
        var filter: TempoFilter

        init(_ filter: consuming TempoFilter) { self.filter = filter }
    }

    /// Output at one rate: `count` samples from `start` on, made from `given` input samples.
    private struct Run {
        let start: MediaTime
        let rate: Double
        var count = 0
        var given = 0

        /// The number of samples by which the output, with `added` more, would exceed its nominal length. At most
        /// `added`.
        func surplus(with added: Int) -> Int {
            min(added, max(0, count + added - Int((Double(given) / max(rate, 0.01)).rounded())))
        }
    }

    private let format: AudioFormat
    private var stage: FormatStage?
    /// Samples that went into the stage, counted from `start`, so that silence gets the right length.
    private var input: (start: MediaTime, count: Int64)?
    private var converted: (start: MediaTime, count: Int64)?
    private var run: Run?
    private var stretching: Stretching?

    /// - Parameter format: packed floats.
    init(to format: AudioFormat) { self.format = format }

    /// Processes `entry`. The result may be empty while a filter buffers samples.
    mutating func shape(_ entry: AudioQueue.Entry, rate: Double) -> [ShapedAudio] {
        switch entry.content {
        case .audio(let audio):
            let rest = stage?.input == audio.format ? [] : change(to: audio.format, at: entry.time, rate: rate)
            return rest + push(audio.block, rate: rate)
        case .silence:
            let source = stage?.input ?? format
            let rest = stage == nil ? change(to: source, at: entry.time, rate: rate) : []
            let begun = input ?? (entry.time, 0)
            let end = Int64(((entry.end - begun.start).seconds * Double(source.rate)).rounded())
            return rest + push(.silence(Int(max(0, end - begun.count)), source), rate: rate)
        }
    }

    /// The samples that the filters still hold.
    mutating func finish() -> [ShapedAudio] {
        let rest = stage?.finish().map { place($0, rate: run?.rate ?? 1) } ?? []
        return rest + endRun(isFollowed: false)
    }

    private mutating func change(to source: AudioFormat, at time: MediaTime, rate: Double) -> [ShapedAudio] {
        let rest = stage?.finish().map { place($0, rate: rate) } ?? []
        stage = FormatStage(from: source, to: format)
        input = (time, 0)
        converted = (time, 0)
        return rest
    }

    private mutating func push(_ block: SampleBlock, rate: Double) -> [ShapedAudio] {
        input?.count += Int64(block.count)
        let count = Int(
            (Double(block.count) * Double(format.rate) / Double(stage?.input.rate ?? format.rate)).rounded()
        )
        return place(stage?.convert(block) ?? .silence(count, format), rate: rate)
    }

    /// Applies the tempo to converted samples, and assigns times to the result.
    private mutating func place(_ block: SampleBlock, rate: Double) -> [ShapedAudio] {
        guard var from = converted else { return [] }
        let time = from.start + MediaTime(from.count, in: .hertz(Int64(format.rate)))
        from.count += Int64(block.count)
        converted = from
        let rest = run?.rate == rate ? [] : endRun(isFollowed: true)
        if run == nil { begin(Run(start: time, rate: rate)) }
        run?.given += block.count
        return rest + emit(stretched(block, rate: rate))
    }

    private mutating func begin(_ run: Run) {
        self.run = run
        guard run.rate != 1, TempoFilter.range.contains(run.rate) else { return }
        do throws(FFmpegError) { stretching = Stretching(try TempoFilter.open(tempo: run.rate, format)) } catch {
            // This rate plays as silence, like a rate outside `TempoFilter.range`.
        }
    }

    private func stretched(_ block: SampleBlock, rate: Double) -> SampleBlock {
        guard rate != 1 else { return block }
        if let stretching {
            do throws(FFmpegError) { return try stretching.filter.process(block) } catch {
                // Silence, as for a rate outside `TempoFilter.range`.
            }
        }
        return .silence(Int(Double(block.count) / max(rate, 0.01)), format)
    }

    /// - Parameter isFollowed: whether another rate comes next. If so, surplus samples of the tempo filter are dropped:
    ///   with them, the playhead would jump back where the next rate begins.
    private mutating func endRun(isFollowed: Bool) -> [ShapedAudio] {
        var rest: [ShapedAudio] = []
        if let stretching {
            do throws(FFmpegError) {
                let block = try stretching.filter.finish()
                let surplus = isFollowed ? run?.surplus(with: block.count) ?? 0 : 0
                rest = emit(block.taking(block.count - surplus, stride: format.stride))
            } catch {
                // The samples that the filter still holds are lost: less than a tenth of a second.
            }
        }
        stretching = nil
        run = nil
        return rest
    }

    private mutating func emit(_ block: SampleBlock) -> [ShapedAudio] {
        guard block.count > 0, let run else { return [] }
        let seconds = Double(run.count) / Double(format.rate) * run.rate
        self.run?.count += block.count
        return [ShapedAudio(block: block, time: run.start + .seconds(seconds), rate: run.rate)]
    }
}
