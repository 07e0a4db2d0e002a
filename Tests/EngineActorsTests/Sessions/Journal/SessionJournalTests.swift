// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import Sessions

@Suite("The journal of the previous process", .timeLimit(.minutes(10)))
struct SessionJournalTests {
    @Test(
        "It is used if it can be read, and set aside otherwise",
        arguments: [
            (nil, false, false),
            (#"{"version": 1, "httpPort": 8080, "sessions": []}"#, true, false),
            (#"{"version": 2, "httpPort": 8080, "sessions": []}"#, false, true),
            (#"{"version": 1}"#, false, true),
            ("", false, true),
        ] as [(String?, Bool, Bool)]
    )
    func open(content: String?, isTaken: Bool, isSetAside: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "sessions.json").path
        if let content { try content.write(toFile: file, atomically: true, encoding: .utf8) }
        let logger = Logger(label: "journal") { _ in SwiftLogNoOpLogHandler() }
        let opened = try #require(await SessionJournal.open(directory: folder.path, logger: logger))
        #expect((opened.httpPort == 8080) == isTaken)
        #expect(FileManager.default.fileExists(atPath: file) == isTaken)
        #expect(FileManager.default.fileExists(atPath: "\(file).unreadable") == isSetAside)
    }
}
