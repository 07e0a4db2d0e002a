// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Foundation
internal import Glibc
internal import Testing

@Suite("Small files", .timeLimit(.minutes(10)))
struct SmallFileTests {
    /// Calls `body` with the path of a new folder, which is removed afterwards.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/small-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("A file is written whole, in a folder that is created with it")
    func written() throws {
        try withFolder { folder in
            try SmallFile.write([1, 2, 3], to: "\(folder)/a/file", makingDirectory: "\(folder)/a")
            try SmallFile.write([4, 5], to: "\(folder)/a/file", makingDirectory: "\(folder)/a")
            #expect(try SmallFile.read("\(folder)/a/file", limit: 2) == [4, 5])
            #expect(try SmallFile.read("\(folder)/a/file", limit: 1) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a") == ["file"])
        }
    }

    @Test("A write that cannot replace its target leaves no temporary file")
    func refused() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/file/inside", withIntermediateDirectories: true)
            let error = #expect(throws: Errno.self) {
                try SmallFile.write([1], to: "\(folder)/file", makingDirectory: folder)
            }
            #expect(error?.code == EISDIR)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }
}
