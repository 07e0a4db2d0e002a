// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation

/// Command-line programs that serve as test oracles.
enum Tool {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static let isAvailable = ["ffmpeg", "ffprobe"].allSatisfy { path($0) != nil }

    private static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end and returns what it wrote to standard output.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        guard let path = path(name) else { throw Failure(description: "\(name) is not installed") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("engine-\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = BlockingInput(output.fileHandleForReading.fileDescriptor).all()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")): \(words)")
        }
        return data
    }

    static func text(_ name: String, _ arguments: [String]) throws -> String {
        String(decoding: try run(name, arguments), as: UTF8.self)
    }
}

/// A directory that is removed after the test.
final class ScratchDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("engine-packaging-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
