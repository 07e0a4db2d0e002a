// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import EngineActors

/// A sound server of the test's own, with a device that plays in time and is not heard.
final class TestSoundServer: Sendable {
    static let path = "/usr/bin/pulseaudio"

    private let directory: URL
    private let process: Process

    var address: String { "unix:\(directory.path)/native" }

    /// - Parameter channels: as `module-null-sink` names them.
    init(channels: String, count: Int) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "engine-sound-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.environment = ["HOME": directory.path, "XDG_RUNTIME_DIR": directory.path]
        process.arguments = [
            "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
            "-L", "module-null-sink sink_name=test rate=48000 channels=\(count) channel_map=\(channels)",
            "-L", "module-native-protocol-unix socket=\(directory.path)/native auth-anonymous=1",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// The device, once the server listens.
    func device(_ name: String = "test") async throws -> DeviceSoundSink {
        while true {
            do throws(EngineError) { return try await DeviceSoundSink.open(name, of: address) } catch {
                try #require(process.isRunning, "\(error)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

@Suite(
    "A device of the sound server",
    .needsFFmpegCommand,
    .enabled("pulseaudio is not installed") { FileManager.default.isExecutableFile(atPath: TestSoundServer.path) },
    .serialized,
    .timeLimit(.minutes(2))
)
struct DeviceSoundSinkTests {
    @Test("is given its own rate and channels")
    func format() async throws {
        let server = try TestSoundServer(
            channels: "front-left,front-right,front-center,lfe,rear-left,rear-right",
            count: 6
        )
        let device = try await server.device()
        let source = AudioFormat(samples: .planarFloat, rate: 44_100, layout: ChannelLayout(mask: 3))
        let format = device.format(for: source)
        #expect(format == AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 0x3F)))
    }

    @Test("that is not there is a typed error")
    func nothing() async {
        await #expect(throws: EngineError.self) {
            _ = try await DeviceSoundSink.open("", of: "unix:/nonexistent/engine-test")
        }
    }

    @Test("is the clock: a flash and its beep are within 10 ms, also after a pause and a seek; it plays to the end")
    func sync() async throws {
        let server = try TestSoundServer(channels: "front-left,front-right", count: 2)
        let device = HeardDevice(try await server.device())
        var script = TestFilm.Script()
        script.pictures = .seconds(30)
        script.sound = .seconds(30)
        let (theatre, screen) = (try await TestTheatre(script), TestScreen())
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(device)
        theatre.tell(.load(url: "film", position: .zero), .play)
        try await device.probe.watch(screen, device, until: 3)
        theatre.tell(.pause)
        try await eventually { theatre.reports.last?.rate == 0 }
        theatre.tell(.play)
        try await device.probe.watch(screen, device, until: 5)
        theatre.tell(.seek(id: 1, position: .seconds(20.5)))
        try await theatre.report { $0.seekID == 1 && $0.rate == 1 }
        try await device.probe.watch(screen, device, until: 8)
        let offsets = device.probe.offsets
        print("sync, with a device: \(SyncProbe.histogram(offsets))")
        for offset in offsets { #expect(abs(offset) <= 0.010, "\(offset * 1000) ms") }
        theatre.tell(.seek(id: 2, position: .seconds(29.5)))
        try await theatre.report { $0.hasEnded && $0.seekID == 2 }
        #expect(theatre.reports.last?.position == .seconds(30))
        #expect(theatre.notices.isEmpty)
        await theatre.stop()
    }

    @Test("whose server is gone is told of, and playback goes on")
    func lost() async throws {
        let server = try TestSoundServer(channels: "front-left,front-right", count: 2)
        let theatre = try await TestTheatre()
        _ = await theatre.renderer.attach(try await server.device())
        theatre.tell(.load(url: "film", position: .zero), .play)
        try await theatre.report { $0.rate == 1 && $0.position > .seconds(0.5) }
        server.stop()
        try await eventually { theatre.notices.contains { $0.code == "sound.lost" } }
        try await theatre.report { $0.hasEnded }
        await theatre.stop()
    }
}

/// A device that is listened to.
private final class HeardDevice: SoundSink {
    let probe = SyncProbe()
    private let device: DeviceSoundSink
    private let counter = SampleCounter()

    init(_ device: DeviceSoundSink) { self.device = device }

    var isRealTime: Bool { true }
    func format(for source: AudioFormat) -> AudioFormat { device.format(for: source) }
    func setRunning(_ isRunning: Bool) { device.setRunning(isRunning) }
    func samplesHeard(at now: Int64) -> Int64? { device.samplesHeard(at: now) }
    func finish(generation: UInt64) { device.finish(generation: generation) }

    func flush(to generation: UInt64) {
        counter.begin(generation)
        device.flush(to: generation)
    }

    func take(_ sound: TimedSound, generation: UInt64) async -> Bool {
        if let first = counter.add(sound.block.count, generation) { probe.hear(sound, first, generation) }
        return await device.take(sound, generation: generation)
    }
}
