// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Bindings
@testable import Decoding
@testable import Reading
@testable import Segments
@testable import Sessions
@testable import Stills
@testable import Subtitles
@testable import Packaging

/// The input is an RPU, as in `exerciseDolbyVision`, and numbers.
func exerciseStills(_ bytes: [UInt8]) {
    for unit in [bytes, checksummed(bytes)] {
        if let rpu = try? RPU(unit: unit), let mapping = DolbyVisionMapping(rpu) { exercise(mapping) }
    }
    var draw = Draw(bytes)
    exerciseMapping(&draw)
    exerciseLayout(&draw)
    exerciseStoryboard(&draw)
    exerciseOverlay(&draw)
    exerciseCache(&draw)
}

private func exercise(_ mapping: DolbyVisionMapping) {
    guard let composer = DolbyVisionComposer(mapping) else { return expect(false, "a usable mapping has a composer") }
    for code: UInt16 in [0, 1, 2047, 4095, .max] {
        for other: UInt16 in [0, 2048, .max] {
            let light = composer.light(code, other, other)
            expect(light.x.isFinite && light.y.isFinite && light.z.isFinite, "light is a number: \(light)")
        }
    }
    expect(mapping.peak.map { $0.isFinite && $0 >= 0 } ?? true, "the brightest light is a number")
}

/// The mapping has any numbers, as a decoder may report them.
private func exerciseMapping(_ draw: inout Draw) {
    func floats(_ count: Int) -> [Float] {
        (0..<count).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: draw.number())) }
    }
    var curves: [DolbyVisionMapping.Curve] = []
    for _ in 0..<3 {
        let pieces = (0...draw.index(3)).map { _ -> DolbyVisionMapping.Piece in
            draw.byte() & 1 == 0
                ? .polynomial(floats(1 + draw.index(3))) : .regression(constant: floats(1)[0], orders: [floats(7)])
        }
        curves.append(.init(pivots: floats(pieces.count + 1).sorted(), pieces: pieces))
    }
    let mapping = DolbyVisionMapping(
        curves: curves,
        toNonlinear: floats(9),
        offset: floats(3),
        toLMS: floats(9),
        sourceMaximumPQ: draw.index(1 << 16)
    )
    if mapping.isUsable { exercise(mapping) }
}

private func video(_ draw: inout Draw) -> VideoProperties {
    var video = VideoProperties()
    (video.width, video.height) = (draw.side(), draw.side())
    video.sampleAspectRatio = Ratio(draw.word(), draw.word())
    video.rotation = [0, 90, 180, 270][draw.index(4)]
    video.cropping = Cropping(
        left: draw.word(),
        top: draw.side(),
        right: draw.side(),
        bottom: draw.word()
    )
    return video
}

private func exerciseLayout(_ draw: inout Draw) {
    let video = video(&draw)
    var style = StillStyle()
    if draw.byte() & 1 == 0 { style.maximumWidth = 1 + draw.index(StillStyle.largestSide) }
    if draw.byte() & 1 == 0 { style.maximumHeight = 1 + draw.index(StillStyle.largestSide) }
    for (width, height) in [(video.width, video.height), (max(1, draw.side()), max(1, draw.side()))]
    where width > 0 && height > 0 {
        let layout = StillLayout(width: width, height: height, video: video, style: style)
        _ = layout.keepsSize(width: width, height: height)
        expect((1...width).contains(layout.scaledWidth), "nothing becomes wider: \(layout)")
        expect((1...height).contains(layout.scaledHeight), "nothing becomes higher: \(layout)")
    }
}

private func exerciseStoryboard(_ draw: inout Draw) {
    let video = video(&draw)
    let boundaries = (0..<draw.index(300)).map { _ in draw.time() }.sorted()
    let storyboard = Storyboard(boundaries: boundaries, video: video)
    expect((1...160).contains(storyboard.width) && (1...160).contains(storyboard.height), "cells are small")
    let cells = (0..<storyboard.sheetCount).flatMap { storyboard.cells(ofSheet: $0) }
    expect(cells == storyboard.cells, "every picture is on one sheet")
    expect(storyboard.cells(ofSheet: Int(draw.number())).count <= 25, "a sheet has few pictures")
    expect(zip(cells, cells.dropFirst()).allSatisfy { $0.end == $1.start }, "the timeline has no hole")
    expect(storyboard.bytes(sheetPrefix: "sheet-").count <= 64 + 128 * cells.count, "a line is short")
    let length = draw.time()
    let parts = ContactSheetTimes.parts(count: 1 + draw.index(ContactSheetRequest.largestCount), of: length)
    let areWithin = parts.allSatisfy { $0.start >= .zero && $0.start <= $0.middle && $0.middle <= length }
    expect(length < .zero || areWithin, "pictures lie within the film")
}

private func exerciseOverlay(_ draw: inout Draw) {
    func part() -> Double { Double(draw.index(1 << 16)) / 65_536 }
    let rectangle = OverlayRectangle(x: part(), y: part(), width: part(), height: part())
    guard (try? Overlay(name: "a", svg: "<svg/>", rectangle: rectangle).checked()) != nil else { return }
    let shift = (Int(draw.byte() & 2), Int(draw.byte() & 2))
    let shape = FrameShape(
        width: max(1, draw.side()),
        height: max(1, draw.side()),
        pixelFormat: "yuv420p",
        depth: 8,
        samples: .color,
        chromaShift: shift,
        isFullRange: false,
        aspect: Ratio(Int(draw.number() & 0x7FFF_FFFF) + 1, Int(draw.number() & 0x7FFF_FFFF) + 1),
        declaresAspect: true,
        isWritable: true,
        isHardware: false
    )
    let layout = OverlayLayout(rectangle, on: shape, rotation: [0, 90, 180, 270][draw.index(4)])
    expect(layout.width > 0 && layout.height > 0, "an overlay has a size: \(layout)")
    expect(layout.x >= 0 && layout.x + layout.width <= shape.width, "an overlay lies on the picture: \(layout)")
    expect(layout.y >= 0 && layout.y + layout.height <= shape.height, "an overlay lies on the picture: \(layout)")
    expect(layout.drawing.width * layout.drawing.height <= OverlayLayout.pixelLimit, "what is drawn is bounded")
}

private func exerciseCache(_ draw: inout Draw) {
    var cache = StillCache()
    for _ in 0..<40 where !draw.isEmpty {
        let kind = StillRequest.Kind.allCases[draw.index(2)]
        let request = StillRequest(kind, of: .session(nil), at: draw.time())
        if let still = cache.still(for: request) { expect(still.time <= request.time, "a still is of its time") }
        let still = Still(bytes: [1], format: .jpeg, width: 1, height: 1, time: draw.time())
        cache.keep(still, until: draw.time(), for: request)
    }
}
