// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Cue {
    var wire: Proto.Cue {
        var wire = Proto.Cue()
        wire.id = id
        wire.track = UInt32(clamping: track)
        wire.startMicroseconds = start.microseconds
        wire.endMicroseconds = end?.microseconds ?? -1
        wire.forced = isForced
        switch content {
        case .text(let text): wire.content = .text(text.wire)
        case .image(let image): wire.content = .image(image.wire)
        case .nothing: break
        }
        return wire
    }

    /// `nil` if the cue has no content, or content that this build does not know.
    init?(wire: Proto.Cue) {
        let content: Content
        switch wire.content {
        case .text(let text): content = .text(CueText(wire: text))
        case .image(let image): content = .image(CueImage(wire: image))
        case nil: return nil
        }
        self.init(
            id: wire.id,
            track: Int(wire.track),
            start: MediaTime(microseconds: wire.startMicroseconds),
            end: wire.endMicroseconds == -1 ? nil : MediaTime(microseconds: wire.endMicroseconds),
            content: content,
            isForced: wire.forced
        )
    }
}

extension CueEvent {
    var wire: Proto.CueEvent {
        var wire = Proto.CueEvent()
        wire.stage =
            switch stage {
            case .appeared: .appeared
            case .disappeared: .disappeared
            case .ahead: .ahead
            }
        wire.cue = cue.wire
        wire.timeMicroseconds = time.microseconds
        return wire
    }

    /// `nil` for an event that this build does not know.
    init?(wire: Proto.CueEvent) {
        guard let inner = wire.cue, let cue = Cue(wire: inner) else { return nil }
        let time = MediaTime(microseconds: wire.timeMicroseconds)
        switch wire.stage {
        case .appeared: self.init(.appeared, cue, at: time)
        case .disappeared: self.init(.disappeared, cue, at: time)
        case .ahead: self.init(.ahead, cue, at: time)
        default: return nil
        }
    }
}

extension CueText {
    var wire: Proto.CueText {
        var wire = Proto.CueText()
        wire.plain = plain
        wire.runs = runs.map(\.wire)
        wire.alignment = UInt32(clamping: alignment)
        if let position { wire.position = position.wire }
        wire.raw = raw ?? ""
        return wire
    }

    init(wire: Proto.CueText) {
        let raw = wire.raw
        self.init(
            plain: wire.plain,
            runs: wire.runs.map(TextRun.init(wire:)),
            alignment: Int(wire.alignment),
            position: wire.position.map(CuePosition.init(wire:)),
            raw: raw.isEmpty ? nil : raw
        )
    }
}

extension TextRun {
    var wire: Proto.TextRun {
        var wire = Proto.TextRun()
        wire.text = text
        wire.bold = isBold
        wire.italic = isItalic
        wire.underline = isUnderlined
        wire.strikeout = isStruckOut
        wire.color = color.map { Self.name(ofColor: $0) } ?? ""
        wire.font = font ?? ""
        wire.size = size ?? 0
        return wire
    }

    init(wire: Proto.TextRun) {
        self.init(text: wire.text)
        isBold = wire.bold
        isItalic = wire.italic
        isUnderlined = wire.underline
        isStruckOut = wire.strikeout
        color = UInt32(wire.color.dropFirst(), radix: 16)
        let name = wire.font
        font = name.isEmpty ? nil : name
        size = wire.size > 0 ? wire.size : nil
    }

    /// `#rrggbb`.
    private static func name(ofColor color: UInt32) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

extension CuePosition {
    var wire: Proto.CuePosition {
        var wire = Proto.CuePosition()
        wire.x = x
        wire.y = y
        return wire
    }

    init(wire: Proto.CuePosition) { self.init(x: wire.x, y: wire.y) }
}

extension CueImage {
    var wire: Proto.CueImage {
        var wire = Proto.CueImage()
        wire.png = png
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.x = corner.x
        wire.y = corner.y
        wire.extentX = extent.x
        wire.extentY = extent.y
        wire.canvasWidth = UInt32(clamping: canvasWidth)
        wire.canvasHeight = UInt32(clamping: canvasHeight)
        return wire
    }

    init(wire: Proto.CueImage) {
        self.init(
            png: wire.png,
            width: Int(wire.width),
            height: Int(wire.height),
            corner: CuePosition(x: wire.x, y: wire.y),
            extent: CuePosition(x: wire.extentX, y: wire.extentY),
            canvasWidth: Int(wire.canvasWidth),
            canvasHeight: Int(wire.canvasHeight)
        )
    }
}
