// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension AdjustmentChange {
    init(wire: Engine__V1__PictureAdjustments) {
        self.init()
        brightness = unsafe wire.brightness?.pointee.value
        contrast = unsafe wire.contrast?.pointee.value
        saturation = unsafe wire.saturation?.pointee.value
        gamma = unsafe wire.gamma?.pointee.value
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__PictureAdjustments> {
        func value(_ number: Double?) -> UnsafeMutablePointer<Engine__V1__AdjustmentValue>? {
            guard let number else { return nil }
            let wire = unsafe arena.message(Engine__V1__AdjustmentValue.self)
            unsafe wire.pointee.value = number
            return unsafe wire
        }
        let wire = unsafe arena.message(Engine__V1__PictureAdjustments.self)
        unsafe wire.pointee.brightness = value(brightness)
        unsafe wire.pointee.contrast = value(contrast)
        unsafe wire.pointee.saturation = value(saturation)
        unsafe wire.pointee.gamma = value(gamma)
        return unsafe wire
    }
}

extension PictureFilter {
    init(wire: Engine__V1__PictureFilter) {
        unsafe self.init(text(wire.name))
        guard let options = unsafe wire.options else { return }
        for index in 0..<Int(unsafe wire.n_options) {
            guard let option = unsafe options[index]?.pointee else { continue }
            self.options.append(unsafe Option(text(option.name), text(option.value)))
        }
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__PictureFilter> {
        let wire = unsafe arena.message(Engine__V1__PictureFilter.self)
        unsafe wire.pointee.name = arena.string(name)
        unsafe wire.pointee.n_options = options.count
        unsafe wire.pointee.options = arena.array(options) { option in
            let wire = unsafe arena.message(Engine__V1__FilterOption.self)
            unsafe wire.pointee.name = arena.string(option.name)
            unsafe wire.pointee.value = arena.string(option.value)
            return unsafe .some(wire)
        }
        return unsafe wire
    }
}

extension OverlayRectangle {
    init(wire: Engine__V1__OverlayRectangle) {
        unsafe self.init(x: wire.x, y: wire.y, width: wire.width, height: wire.height)
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__OverlayRectangle> {
        let wire = unsafe arena.message(Engine__V1__OverlayRectangle.self)
        unsafe wire.pointee.x = x
        unsafe wire.pointee.y = y
        unsafe wire.pointee.width = width
        unsafe wire.pointee.height = height
        return unsafe wire
    }
}

extension Overlay {
    /// - Throws: `invalidArgument` if the overlay has both SVG and ASS.
    init(wire: Engine__V1__Overlay) throws(EngineError) {
        let (svg, ass) = unsafe (text(wire.svg), text(wire.ass))
        if !svg.isEmpty, !ass.isEmpty { throw .invalid("overlay.ass", "and svg exclude each other") }
        let size = unsafe (width: Int(wire.ass_width), height: Int(wire.ass_height))
        unsafe self.init(
            name: text(wire.name),
            ass.isEmpty ? .svg(svg) : .ass(ASSDrawing(ass, width: size.width, height: size.height)),
            rectangle: wire.rectangle.map { unsafe OverlayRectangle(wire: $0.pointee) } ?? .whole,
            z: Int(wire.z)
        )
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Overlay> {
        let wire = unsafe arena.message(Engine__V1__Overlay.self)
        unsafe wire.pointee.name = arena.string(name)
        switch drawing {
        case .svg(let svg): unsafe wire.pointee.svg = arena.string(svg)
        case .ass(let drawing):
            unsafe wire.pointee.ass = arena.string(drawing.text)
            unsafe wire.pointee.ass_width = UInt32(clamping: drawing.width)
            unsafe wire.pointee.ass_height = UInt32(clamping: drawing.height)
        }
        unsafe wire.pointee.rectangle = rectangle.wire(in: arena)
        unsafe wire.pointee.z = Int32(clamping: z)
        return unsafe wire
    }
}
