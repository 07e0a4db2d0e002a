// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Messages about subtitle files survive the wire", .timeLimit(.minutes(10)))
struct SidecarMessageTests {
    private func body(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(5)) }

    private func sidecar() throws -> Sidecar {
        var sidecar = Sidecar(path: "https://example.org/film.en.srt")
        (sidecar.charset, sidecar.language, sidecar.title, sidecar.isShown) = ("CP1251", "en", "Títle", true)
        sidecar.httpHeaders = [
            try HTTPHeader(name: "Cookie", value: "a=b"), try HTTPHeader(name: "X-Empty", value: ""),
        ]
        return sidecar
    }

    @Test("commands and loads")
    func requests() throws {
        let add = CommandRequest(
            session: SessionID(rawValue: "7"),
            ifRevision: 3,
            requestID: "id",
            command: .tracks(.addSubtitles(try sidecar()))
        )
        #expect(try CommandRequest(addSubtitles: body(add.framed())) == add)
        let remove = CommandRequest(session: nil, command: .tracks(.removeSubtitles(track: 100_002)))
        #expect(try CommandRequest(removeSubtitles: body(remove.framed())) == remove)
        var load = LoadRequest(source: "/film.mkv")
        load.sidecars = [try sidecar(), Sidecar(path: "/film.srt")]
        #expect(try LoadRequest(wire: body(load.framed())) == load)
        var cues = CueRequest(.source("/film.srt"))
        (cues.charset, cues.http.headers) = ("BIG5", try sidecar().httpHeaders)
        cues.findsSubtitles = false
        #expect(try CueRequest(wire: body(cues.framed())) == cues)
    }

    @Test("invalid values are rejected with the field's name")
    func refused() throws {
        var empty = try sidecar()
        empty.path = ""
        var long = try sidecar()
        long.charset = String(repeating: "x", count: 129)
        for (sidecar, field) in [(empty, "path"), (long, "charset")] {
            let add = CommandRequest(session: nil, command: .tracks(.addSubtitles(sidecar)))
            let error = #expect(throws: EngineError.self) { try CommandRequest(addSubtitles: body(add.framed())) }
            #expect(error?.field == "file.\(field)")
            var load = LoadRequest(source: "/film.mkv")
            load.sidecars = [Sidecar(path: "/film.srt"), sidecar]
            #expect(throws: EngineError.self) { try LoadRequest(wire: body(load.framed())) }
            let refusal = #expect(throws: EngineError.self) { try LoadRequest(wire: body(load.framed())) }
            #expect(refusal?.field == "subtitle_files[1].\(field)")
        }
        var many = LoadRequest(source: "/film.mkv")
        many.sidecars = Array(repeating: Sidecar(path: "/film.srt"), count: 65)
        #expect(throws: EngineError.self) { try LoadRequest(wire: body(many.framed())) }
        let nothing = CommandRequest(session: nil, command: .tracks(.removeSubtitles(track: 0))).framed()
        #expect(throws: EngineError.self) { try CommandRequest(addSubtitles: body(nothing)) }
    }
}
