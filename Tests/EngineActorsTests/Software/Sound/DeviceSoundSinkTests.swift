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
}
