// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Decoding

/// The input is pieces: the name of a filter, then names and values of options in turn. The whole input is also taken as
/// an overlay.
func exerciseFilters(_ bytes: [UInt8]) {
    let texts = pieces(bytes, limit: 33).map { String(decoding: $0, as: UTF8.self) }
    var filter = PictureFilter(texts.first ?? "")
    for place in stride(from: 1, to: texts.count - 1, by: 2) {
        filter.options.append(.init(texts[place], texts[place + 1]))
    }
    if let valid = try? filter.validated() {
        expect((try? valid.validated()) == valid, "what is valid stays as it is: \(valid)")
        let isPlain = valid.description.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ",") && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "[") && byte > 0x20
                && byte < 0x7F
        }
        expect(isPlain, "nothing in a filter ends it: \(valid.description)")
    }
    exerciseDrawing(String(decoding: bytes, as: UTF8.self))
    exerciseASSDrawing(String(decoding: bytes, as: UTF8.self))
}

private func exerciseASSDrawing(_ text: String) {
    for drawing in [ASSDrawing(text), ASSDrawing(text, width: 640, height: 360)] {
        guard let document = try? drawing.document() else { continue }
        expect((try? DrawingText.check(document)) != nil, "a drawing becomes a document that may be drawn")
        let tags = document.utf8.count { $0 == UInt8(ascii: "<") }
        expect(tags <= 2 + 256 * 8, "a line becomes a few elements")
    }
}

private func exerciseDrawing(_ svg: String) {
    _ = DrawingText.isStretched(svg)
    guard (try? DrawingText.check(svg)) != nil else { return }
    let lowered = svg.lowercased()
    expect(!lowered.contains("<!entity") && !lowered.contains("<!doctype"), "a drawing declares nothing")
    expect(!lowered.contains("href=\"file:") && !lowered.contains("url(http"), "a drawing refers to nothing outside")
    var treatment = PictureTreatment()
    let overlay = Overlay(name: "drawing", svg: svg)
    expect((try? treatment.apply(.put(overlay))) != nil || svg.utf8.count > Overlay.textLimit, "a drawing can be put")
}
