// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Foundation
import Testing

@testable import Server
@testable import Wire

@Suite("The listening socket", .serialized, .timeLimit(.minutes(10)))
struct UnixSocketListenerTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = "/tmp/ipc-socket-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    @Test("only the owner may connect, and a second engine is rejected while the first one runs")
    func lock() throws {
        try inDirectory { directory in
            let place = try SocketPath.resolve("\(directory)/engined.sock")
            let first = try UnixSocketListener(place)
            let attributes = try FileManager.default.attributesOfItem(atPath: first.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let error = #expect(throws: EngineError.self) { try UnixSocketListener(place) }
            #expect(error?.code == .unavailable)
            close(first.descriptor)
        }
    }

    @Test("peers are the engine's own user and root, and nobody else")
    func peers() {
        let own = geteuid()
        for (user, isAllowed) in [(own, true), (0, true), (own + 1, false), (.max, false)] as [(uid_t, Bool)] {
            #expect(PeerCredentials(process: 1, user: user).isAllowed == isAllowed, "\(user)")
        }
    }

    @Test("a socket whose engine died is replaced")
    func stale() throws {
        try inDirectory { directory in
            let place = try SocketPath.resolve("\(directory)/engined.sock")
            do {
                let dead = try UnixSocketListener(place)
                close(dead.descriptor)
            }
            #expect(FileManager.default.fileExists(atPath: place.path))
            let next = try UnixSocketListener(place)
            close(next.descriptor)
        }
    }

    @Test("a file that is not a socket is left alone")
    func notASocket() throws {
        try inDirectory { directory in
            let path = "\(directory)/engined.sock"
            try Data("precious".utf8).write(to: URL(filePath: path))
            let error = #expect(throws: EngineError.self) { try UnixSocketListener(SocketPath.resolve(path)) }
            #expect(error?.code == .invalidArgument)
            #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
        }
    }

    @Test(
        "invalid paths are rejected with the reason",
        arguments: [
            ("relative.sock", "not absolute"),
            ("file:relative", "not absolute"),
            ("file:///tmp/%zz", "not absolute"),
            ("/tmp/" + String(repeating: "x", count: 110), "the limit is 107"),
        ]
    )
    func badPath(_ path: String, _ reason: String) {
        let error = #expect(throws: EngineError.self) { try SocketPath.resolve(path) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test("without a path and a runtime directory, resolving fails instead of choosing another path")
    func runtimeDirectory() throws {
        let error = #expect(throws: EngineError.self) { try SocketPath.resolve(nil, runtimeDirectory: nil) }
        #expect(error?.message.contains("XDG_RUNTIME_DIR is not set") == true)
        try inDirectory { directory in
            let place = try SocketPath.resolve(nil, runtimeDirectory: FilePath(directory))
            #expect(place.path == "\(directory)/engined/engined.sock")
            let listener = try UnixSocketListener(place)
            close(listener.descriptor)
            listener.removeName()
            #expect(!FileManager.default.fileExists(atPath: place.path))
        }
    }

    @Test("a path may be any bytes, and its side socket and lock are named after it")
    func anyBytes() throws {
        try inDirectory { directory in
            let file = FilePath(directory).appending([0x73, 0xE9] + ".sock".utf8)
            let place = try SocketPath.resolve(file.text)
            #expect(place.file == file && place.path == "file://\(directory)/s%E9.sock")
            #expect(place.lockPath.name == [0x73, 0xE9] + ".lock".utf8)
            let listener = try UnixSocketListener(place)
            defer { close(listener.descriptor) }
            #expect(listener.path == place.path)
            let side = try UnixSocketListener(beside: listener)
            defer { close(side.descriptor) }
            #expect(side.path == "file://\(directory)/s%E9-frames.sock")
            for path in [listener.path, side.path] {
                close(try connectedSocket(to: try SocketPath.resolve(path).file, isBlocking: true))
            }
            let missing = try SocketPath.resolve("file://\(directory)/absent%E9").file
            #expect(throws: SystemError(ENOENT, in: "connect")) { try connectedSocket(to: missing, isBlocking: true) }
        }
    }

    @Test("a directory that others may enter is rejected")
    func openDirectory() throws {
        try inDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: "\(directory)/engined",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
            let place = try SocketPath.resolve(nil, runtimeDirectory: FilePath(directory))
            let error = #expect(throws: EngineError.self) { try UnixSocketListener(place) }
            #expect(error?.code == .sourceAccessDenied)
        }
    }
}
