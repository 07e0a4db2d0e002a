// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Reading

@Suite("What a container's index states", .needsFFmpegCommand)
struct IndexReaderTests {
    private let thread = ReadingThread()

    @Test("The index of AVI counts only if the whole source was there when it was opened", arguments: [true, false])
    func growing(isGrowing: Bool) async throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: try Clip.avi.path())))
        let entries = try await thread.run { () throws(EngineError) in
            let gate = Gate()
            if !isGrowing { gate.open() }
            let source = ScriptedSource(bytes, growing: .init(from: bytes.count / 2, after: gate))
            let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: InterruptFlag())
            gate.open()
            return try IndexReader(reader: reader, movie: nil, lead: 0, streams: [0, 1], start: .zero, ends: nil).read()
        }
        #expect((entries == nil) == isGrowing)
    }
}
