// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading
@testable import Sessions

@Suite("Recognising sources", .timeLimit(.minutes(10)))
struct ContentIdentityTests {
    @Test(
        "A feed has no identity, so its position is neither recorded nor resumed",
        arguments: ["rtp://239.1.1.1:5000", "udp://:5000", "RTP://:1", "pipe:", "pipe:/run/live.ts"]
    )
    func feeds(source: String) throws {
        #expect(try ContentIdentity.of(source) == nil)
        let error = #expect(throws: EngineError.self) { try SourceFile.path(of: source) }
        #expect(error?.code == .invalidArgument && error?.message.contains("not a file") == true)
    }

    @Test("A source on a server is known by its URL without user and query")
    func servers() throws {
        let plain = try ContentIdentity.of("http://host/film.mkv")
        #expect(plain != nil)
        #expect(try ContentIdentity.of("http://me:secret@host/film.mkv?token=1") == plain)
        #expect(try ContentIdentity.of("http://host/other.mkv") != plain)
    }
}
