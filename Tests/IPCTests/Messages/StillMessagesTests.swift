// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Stills survive the wire")
struct StillMessagesTests {
    private static func body(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(MessageFraming.prefixByteCount)) }

    private static var style: StillStyle {
        var style = StillStyle()
        (style.format, style.maximumWidth, style.maximumHeight) = (.png, 640, 480)
        (style.quality, style.range) = (7, .keep)
        return style
    }

    @Test("requests", arguments: [StillSource.session(nil), .session(SessionID(rawValue: "s1")), .source("/film.mkv")])
    func requests(source: StillSource) throws {
        let snapshot = StillRequest(.snapshot, of: source, at: .seconds(3), style: Self.style, waitsItsTurn: true)
        #expect(try StillRequest(snapshot: Self.body(snapshot.framed())) == snapshot)
        let thumbnail = StillRequest(.thumbnail, of: source, at: .seconds(3), style: Self.style)
        #expect(try StillRequest(thumbnail: Self.body(thumbnail.framed())) == thumbnail)
        var sheet = ContactSheetRequest(of: source)
        (sheet.columns, sheet.rows, sheet.cellWidth) = (3, 7, 64)
        #expect(try ContactSheetRequest(wire: Self.body(sheet.framed())) == sheet)
        #expect(try PrewarmMessages.source(wire: Self.body(PrewarmMessages.framed(source))) == source)
    }

    @Test("an empty request is for the default session")
    func defaults() throws {
        let thumbnail = try StillRequest(thumbnail: [])
        #expect(thumbnail.source == .session(nil) && thumbnail.style.maximumWidth == 320)
        #expect(try StillRequest(snapshot: []).style == StillStyle())
        #expect(try ContactSheetRequest(wire: []) == ContactSheetRequest(of: .session(nil)))
    }

    @Test("answers", arguments: [nil, MediaTime.seconds(0.04)])
    func answers(duration: MediaTime?) throws {
        let still = Still(
            bytes: [1, 2, 3],
            format: .webp,
            width: 3,
            height: 4,
            time: .seconds(1),
            duration: duration
        )
        #expect(try Still(wire: Self.body(still.framed())) == still)
        let progress = ContactSheetProgress(done: 2, total: 2, sheet: still)
        let read = try ContactSheetProgress(wire: Self.body(progress.framed()))
        #expect(read.done == 2 && read.total == 2 && read.sheet == still)
    }
}
