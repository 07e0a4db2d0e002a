// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Decoding

@Suite("Audio sinks", .timeLimit(.minutes(10)))
struct AudioSinkTests {
    private let format = AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 3))

    private func audio(_ count: Int, _ format: AudioFormat? = nil) -> TimedAudio {
        let format = format ?? self.format
        return TimedAudio(format: format, block: .silence(count, format), time: .zero, isDiscontinuous: false)
    }

    @Test("with a manual clock, the samples heard match the elapsed time, and never exceed the samples given")
    func manualClock() async throws {
        let clock = ManualClock()
        let sink = NullAudioSink(clock: .manual(now: { clock.now }, whenMoved: clock.whenMoved))
        sink.flush(to: 3)
        #expect(sink.samplesHeard(at: 0) == nil)
        #expect(await sink.take(audio(4800), generation: 3))
        sink.setRunning(true)
        #expect(sink.samplesHeard(at: 0) == 0)
        clock.advance(by: .milliseconds(50))
        #expect(sink.samplesHeard(at: 0) == 2400)
        clock.advance(by: .seconds(9))
        #expect(sink.samplesHeard(at: 0) == 4800)
        #expect(await sink.take(audio(4800), generation: 3))
        #expect(sink.samplesHeard(at: 0) == 4800)
        sink.setRunning(false)
        clock.advance(by: .seconds(1))
        #expect(sink.samplesHeard(at: 0) == 4800)
    }

    @Test("a caller waits while the sink is full, until there is room or a flush")
    func backPressure() async throws {
        let clock = ManualClock()
        let taken = Locked([Int64]())
        let sink = NullAudioSink(clock: .manual(now: { clock.now }, whenMoved: clock.whenMoved)) { _, first, _ in
            taken.withLock { $0.append(first) }
        }
        sink.flush(to: 1)
        sink.setRunning(true)
        let audio = audio(9600)
        let feeding = Task { for _ in 0..<4 { _ = await sink.take(audio, generation: 1) } }
        try await eventually { taken.withLock { $0 } == [0, 9600] }
        clock.advance(by: .milliseconds(200))
        try await eventually { taken.withLock { $0 } == [0, 9600, 19_200] }
        sink.flush(to: 2)
        await feeding.value
        #expect(taken.withLock { $0.count } == 3)
        #expect(sink.samplesHeard(at: 0) == nil)
    }

    @Test(
        "ffprobe reports the format and length of a written WAVE file",
        .needsFFmpegCommand,
        arguments: [0x3, 0x3F, 0x60F, 0x70F, 0x63F]
    )
    func file(mask: Int) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let source = AudioFormat(samples: .planarFloat, rate: 44_100, layout: ChannelLayout(mask: UInt64(mask)))
        let sink = try await FileAudioSink.open(url.path)
        let format = sink.format(for: source)
        sink.flush(to: 1)
        for _ in 0..<10 { #expect(await sink.take(audio(4410, format), generation: 1)) }
        await sink.close()
        let words = try ffprobe(url.path)
        #expect(words == ["pcm_f32le", "44100", source.layout.name, "44100"])
    }

    @Test("audio is written to regular files only", arguments: ["fifo", "folder", "/dev/null"])
    func notFiles(name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fifo = folder.appending(path: "fifo").path
        try Process.run(URL(filePath: "/usr/bin/mkfifo"), arguments: [fifo]).waitUntilExit()
        let path = ["fifo": fifo, "folder": folder.path][name] ?? name
        await #expect(throws: EngineError.self) { _ = try await FileAudioSink.open(path) }
    }

    private func ffprobe(_ path: String) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/ffprobe")
        process.arguments = [
            "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channel_layout,duration_ts", "-of",
            "default=nk=1:nw=1", path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: BlockingInput(output.fileHandleForReading.fileDescriptor).all(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }
}
