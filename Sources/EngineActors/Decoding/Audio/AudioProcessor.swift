// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Converts decoded audio to what a sink wants: its format, the playback rate, the volume.
///
/// Never waits for a sink. Called and owned by the renderer.
actor AudioProcessor {
    private nonisolated let executor = ThreadExecutor(name: "sound")
    private var shaper: AudioShaper?
    private var gain = AudioGain(1)
    private var output: FormatStage?
    private var generation: UInt64?
    private var lap: UInt64?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// The same audio in the sink's format. Audio that cannot be converted becomes silence.
    func process(_ entries: [AudioQueue.Entry], _ settings: AudioSettings) -> [AudioPiece] {
        var pieces: [AudioPiece] = []
        if generation != settings.generation {
            shaper = nil
            output = nil
            gain = AudioGain(settings.gain)
        }
        for entry in entries {
            let isNew = generation != settings.generation
            if lap != entry.lap || isNew {
                if !isNew, let lap { pieces += finished(shaper?.finish() ?? [], lap, settings, isFirst: false) }
                shaper = nil
            }
            let isFirst = isNew || lap != entry.lap
            (generation, lap) = (settings.generation, entry.lap)
            var shaper = shaper ?? AudioShaper(to: settings.format.packedFloat)
            let shaped = shaper.shape(entry, rate: settings.rate)
            self.shaper = shaper
            pieces += finished(shaped, entry.lap, settings, isFirst: isFirst)
        }
        return pieces
    }

    /// The samples that the filters still hold at the end of a generation.
    func finish(_ settings: AudioSettings) -> [AudioPiece] {
        guard generation == settings.generation, let lap else { return [] }
        defer { shaper = nil }
        return finished(shaper?.finish() ?? [], lap, settings, isFirst: false)
    }

    private func finished(
        _ shaped: [ShapedAudio],
        _ lap: UInt64,
        _ settings: AudioSettings,
        isFirst: Bool
    ) -> [AudioPiece] {
        let working = settings.format.packedFloat
        return shaped.enumerated().map { index, piece in
            let loud = gain.apply(settings.gain, to: piece.block, working)
            if output == nil { output = FormatStage(from: working, to: settings.format) }
            let block = output?.convert(loud) ?? .silence(loud.count, settings.format)
            let audio = TimedAudio(
                format: settings.format,
                block: block,
                time: piece.time,
                isDiscontinuous: isFirst && index == 0,
                rate: piece.rate
            )
            return AudioPiece(audio: audio, lap: lap)
        }
    }
}

extension AudioFormat {
    /// The working format of audio on its way to a sink of this format.
    var packedFloat: AudioFormat { AudioFormat(samples: .float, rate: rate, layout: layout) }
}
