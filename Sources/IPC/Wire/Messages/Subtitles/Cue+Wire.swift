// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension Cue {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Cue> {
        let wire = unsafe arena.message(Engine__V1__Cue.self)
        unsafe wire.pointee.id = id
        unsafe wire.pointee.track = UInt32(clamping: track)
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.end_us = end?.microseconds ?? -1
        unsafe wire.pointee.forced = isForced ? 1 : 0
        switch content {
        case .text(let text):
            unsafe wire.pointee.content_case = ENGINE__V1__CUE__CONTENT_TEXT
            unsafe wire.pointee.text = text.wire(in: arena)
        case .image(let image):
            unsafe wire.pointee.content_case = ENGINE__V1__CUE__CONTENT_IMAGE
            unsafe wire.pointee.image = image.wire(in: arena)
        case .nothing: break
        }
        return unsafe wire
    }

    /// `nil` for content that this build does not know.
    init?(wire: Engine__V1__Cue) throws(EngineError) {
        let content: Content
        switch unsafe wire.content_case {
        case ENGINE__V1__CUE__CONTENT_TEXT:
            guard let text = unsafe wire.text?.pointee else { return nil }
            content = .text(try unsafe CueText(wire: text))
        case ENGINE__V1__CUE__CONTENT_IMAGE:
            guard let image = unsafe wire.image?.pointee else { return nil }
            content = .image(unsafe CueImage(wire: image))
        default: return nil
        }
        unsafe self.init(
            id: wire.id,
            track: Int(wire.track),
            start: MediaTime(microseconds: wire.start_us),
            end: wire.end_us == -1 ? nil : MediaTime(microseconds: wire.end_us),
            content: content,
            isForced: wire.forced != 0
        )
    }
}

extension CueEvent {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__CueEvent> {
        let wire = unsafe arena.message(Engine__V1__CueEvent.self)
        unsafe wire.pointee.stage =
            switch stage {
            case .appeared: ENGINE__V1__CUE_STAGE__CUE_STAGE_APPEARED
            case .disappeared: ENGINE__V1__CUE_STAGE__CUE_STAGE_DISAPPEARED
            case .ahead: ENGINE__V1__CUE_STAGE__CUE_STAGE_AHEAD
            }
        unsafe wire.pointee.cue = cue.wire(in: arena)
        unsafe wire.pointee.time_us = time.microseconds
        return unsafe wire
    }

    /// `nil` for an event that this build does not know.
    init?(wire: Engine__V1__CueEvent) throws(EngineError) {
        guard let inner = unsafe wire.cue?.pointee, let cue = try unsafe Cue(wire: inner) else { return nil }
        let time = unsafe MediaTime(microseconds: wire.time_us)
        switch unsafe wire.stage {
        case ENGINE__V1__CUE_STAGE__CUE_STAGE_APPEARED: self.init(.appeared, cue, at: time)
        case ENGINE__V1__CUE_STAGE__CUE_STAGE_DISAPPEARED: self.init(.disappeared, cue, at: time)
        case ENGINE__V1__CUE_STAGE__CUE_STAGE_AHEAD: self.init(.ahead, cue, at: time)
        default: return nil
        }
    }
}

extension CueText {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__CueText> {
        let wire = unsafe arena.message(Engine__V1__CueText.self)
        unsafe wire.pointee.plain = arena.string(plain)
        unsafe wire.pointee.n_runs = runs.count
        unsafe wire.pointee.runs = arena.array(runs) { unsafe .some($0.wire(in: arena)) }
        unsafe wire.pointee.alignment = UInt32(clamping: alignment)
        if let position { unsafe wire.pointee.position = position.wire(in: arena) }
        unsafe wire.pointee.raw = arena.string(raw ?? "")
        return unsafe wire
    }

    init(wire: Engine__V1__CueText) throws(EngineError) {
        let raw = unsafe text(wire.raw)
        try unsafe self.init(
            plain: text(wire.plain),
            runs: values(wire.runs, wire.n_runs) { run throws(EngineError) in unsafe TextRun(wire: run) },
            alignment: Int(wire.alignment),
            position: wire.position.map { unsafe CuePosition(wire: $0.pointee) },
            raw: raw.isEmpty ? nil : raw
        )
    }
}

extension TextRun {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__TextRun> {
        let wire = unsafe arena.message(Engine__V1__TextRun.self)
        unsafe wire.pointee.text = arena.string(text)
        unsafe wire.pointee.bold = isBold ? 1 : 0
        unsafe wire.pointee.italic = isItalic ? 1 : 0
        unsafe wire.pointee.underline = isUnderlined ? 1 : 0
        unsafe wire.pointee.strikeout = isStruckOut ? 1 : 0
        unsafe wire.pointee.color = arena.string(color.map { Self.name(ofColor: $0) } ?? "")
        unsafe wire.pointee.font = arena.string(font ?? "")
        unsafe wire.pointee.size = size ?? 0
        return unsafe wire
    }

    init(wire: Engine__V1__TextRun) {
        self.init(text: unsafe Wire.text(wire.text))
        isBold = unsafe wire.bold != 0
        isItalic = unsafe wire.italic != 0
        isUnderlined = unsafe wire.underline != 0
        isStruckOut = unsafe wire.strikeout != 0
        color = UInt32(unsafe Wire.text(wire.color).dropFirst(), radix: 16)
        let name = unsafe Wire.text(wire.font)
        font = name.isEmpty ? nil : name
        size = unsafe wire.size > 0 ? wire.size : nil
    }

    /// `#rrggbb`.
    private static func name(ofColor color: UInt32) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

extension CuePosition {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__CuePosition> {
        let wire = unsafe arena.message(Engine__V1__CuePosition.self)
        unsafe wire.pointee.x = x
        unsafe wire.pointee.y = y
        return unsafe wire
    }

    init(wire: Engine__V1__CuePosition) { unsafe self.init(x: wire.x, y: wire.y) }
}

extension CueImage {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__CueImage> {
        let wire = unsafe arena.message(Engine__V1__CueImage.self)
        unsafe wire.pointee.png.len = png.count
        unsafe wire.pointee.png.data = arena.array(png) { $0 }
        unsafe wire.pointee.width = UInt32(clamping: width)
        unsafe wire.pointee.height = UInt32(clamping: height)
        unsafe wire.pointee.x = corner.x
        unsafe wire.pointee.y = corner.y
        unsafe wire.pointee.extent_x = extent.x
        unsafe wire.pointee.extent_y = extent.y
        unsafe wire.pointee.canvas_width = UInt32(clamping: canvasWidth)
        unsafe wire.pointee.canvas_height = UInt32(clamping: canvasHeight)
        return unsafe wire
    }

    init(wire: Engine__V1__CueImage) {
        unsafe self.init(
            png: Array(UnsafeBufferPointer(start: wire.png.data, count: wire.png.len)),
            width: Int(wire.width),
            height: Int(wire.height),
            corner: CuePosition(x: wire.x, y: wire.y),
            extent: CuePosition(x: wire.extent_x, y: wire.extent_y),
            canvasWidth: Int(wire.canvas_width),
            canvasHeight: Int(wire.canvas_height)
        )
    }
}
