// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineModel

@Suite("Processing of frames", .timeLimit(.minutes(10)))
struct PictureTreatmentTests {
    private static let svg = "<svg viewBox=\"0 0 1 1\"/>"

    @Test("adjustments change one by one, are clamped, and can be reset")
    func adjustments() throws {
        var treatment = PictureTreatment()
        var change = AdjustmentChange()
        change.contrast = 9
        #expect(try treatment.apply(.adjust(change)).isClamped)
        change = AdjustmentChange()
        change.brightness = -0.5
        #expect(try !treatment.apply(.adjust(change)).isClamped)
        #expect(treatment.adjustments.contrast == 4 && treatment.adjustments.brightness == -0.5)
        change = AdjustmentChange()
        change.isReset = true
        change.gamma = 2
        _ = try treatment.apply(.adjust(change))
        var expected = PictureAdjustments()
        expected.gamma = 2
        #expect(treatment.adjustments == expected)
        change = AdjustmentChange()
        change.saturation = .nan
        let error = #expect(throws: EngineError.self) { try treatment.apply(.adjust(change)) }
        #expect(error?.field == "adjustments.saturation")
        #expect(treatment.adjustments == expected)
    }

    @Test("filters keep their order and their ids, which are never reused")
    func filters() throws {
        var treatment = PictureTreatment()
        #expect(try treatment.apply(.add(PictureFilter("hflip"))).addedFilter == 1)
        #expect(try treatment.apply(.add(PictureFilter("vflip"))).addedFilter == 2)
        _ = try treatment.apply(.remove(filter: 2))
        #expect(try treatment.apply(.add(PictureFilter("negate"))).addedFilter == 3)
        #expect(treatment.filters.map(\.id) == [1, 3])
        #expect(throws: EngineError.self) { try treatment.apply(.remove(filter: 2)) }
        _ = try treatment.apply(.clear)
        #expect(treatment.isIdentity)
        #expect(try treatment.apply(.add(PictureFilter("hflip"))).addedFilter == 4)
    }

    @Test("the numbers of filters and overlays are limited; at the limit, an overlay can still be replaced")
    func limits() throws {
        var treatment = PictureTreatment()
        for _ in 0..<PictureTreatment.filterLimit { _ = try treatment.apply(.add(PictureFilter("hflip"))) }
        let full = #expect(throws: EngineError.self) { try treatment.apply(.add(PictureFilter("hflip"))) }
        #expect(full?.code == .resourceExhausted)
        for number in 0..<Overlay.countLimit {
            _ = try treatment.apply(.put(Overlay(name: "\(number)", svg: Self.svg)))
        }
        let many = #expect(throws: EngineError.self) { try treatment.apply(.put(Overlay(name: "x", svg: Self.svg))) }
        #expect(many?.code == .resourceExhausted)
        #expect(try treatment.apply(.put(Overlay(name: "3", svg: Self.svg, z: 1))) == .init())
    }

    @Test("overlays are ordered by z, then by age; an overlay replaces the one of the same name")
    func order() throws {
        var treatment = PictureTreatment()
        for (name, z) in [("a", 0), ("b", 5), ("c", 0), ("d", -1)] {
            _ = try treatment.apply(.put(Overlay(name: name, svg: Self.svg, z: z)))
        }
        #expect(treatment.overlays.map(\.name) == ["d", "a", "c", "b"])
        _ = try treatment.apply(.put(Overlay(name: "a", svg: Self.svg, z: 5)))
        #expect(treatment.overlays.map(\.name) == ["d", "c", "b", "a"])
        _ = try treatment.apply(.removeOverlay("c"))
        #expect(treatment.overlays.map(\.name) == ["d", "b", "a"])
        #expect(throws: EngineError.self) { try treatment.apply(.removeOverlay("c")) }
    }

    @Test(
        "an invalid overlay is rejected, naming the field",
        arguments: [
            (Overlay(name: "", svg: svg), "overlay.name"),
            (Overlay(name: String(repeating: "n", count: 65), svg: svg), "overlay.name"),
            (Overlay(name: "n", svg: svg, z: 2_000_000), "overlay.z"),
            (
                Overlay(name: "n", svg: svg, rectangle: .init(x: 0.5, y: 0, width: 0.6, height: 1)),
                "overlay.rectangle.width"
            ),
            (Overlay(name: "n", svg: svg, rectangle: .init(x: 0, y: .nan, width: 1, height: 1)), "overlay.rectangle.y"),
            (
                Overlay(name: "n", svg: svg, rectangle: .init(x: 0, y: 0, width: 1, height: 0)),
                "overlay.rectangle.height"
            ),
        ]
    )
    func refusedOverlays(overlay: Overlay, field: String) {
        var treatment = PictureTreatment()
        let error = #expect(throws: EngineError.self) { try treatment.apply(.put(overlay)) }
        #expect(error?.field == field)
        #expect(treatment.isIdentity)
    }
}
