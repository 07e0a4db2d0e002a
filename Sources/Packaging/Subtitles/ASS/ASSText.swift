// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The text of an event with its overrides applied: runs of uniform style.
package struct ASSText: Hashable, Sendable {
    package private(set) var runs: [TextRun] = []
    package private(set) var alignment: Int
    package private(set) var position: CuePosition?

    private let header: ASSHeader
    private let base: ASSHeader.Style
    private var appearance: ASSAppearance
    /// Set by `\p`: the following text is a drawing outline.
    private var isDrawing = false
    private var hasAlignment = false

    /// - Parameter hasComments: whether text in braces without a backslash is a hidden comment, as in scripts.
    package init(_ event: ASSEvent, in header: ASSHeader, hasComments: Bool) {
        self.header = header
        base = header.style(named: event.style)
        appearance = base.appearance
        alignment = base.alignment
        read(event.text, hasComments: hasComments)
    }

    package var plain: String { runs.map(\.text).joined() }

    private mutating func read(_ text: Substring, hasComments: Bool) {
        var rest = text
        var pending = ""
        // The next closing brace, searched only once, so that a million unmatched opening braces do not cost a million
        // scans.
        var close: Substring.Index?
        while let character = rest.first {
            if character == "{", close.map({ $0 < rest.startIndex }) ?? true {
                close = rest.firstIndex(of: "}") ?? rest.endIndex
            }
            if character == "{", let close, let block = Self.block(rest, upTo: close, hasComments: hasComments) {
                flush(&pending)
                for tag in ASSTag.tags(in: block.inner) { apply(tag) }
                rest = rest[block.end...]
                continue
            }
            rest = rest.dropFirst()
            if character == "\\", let next = rest.first, let replacement = Self.escaped(next) {
                pending += replacement
                rest = rest.dropFirst()
            } else if character == "\u{1A}" {
                pending += "\u{FFFD}"
            } else if character == "\r\n" || character == "\r" {
                pending += "\n"
            } else {
                pending.append(character)
            }
        }
        flush(&pending)
        trim()
    }

    /// The text in the braces at the start of `text`, and where the text continues.
    ///
    /// - Parameter close: the next closing brace; `endIndex` if there is none.
    private static func block(
        _ text: Substring,
        upTo close: Substring.Index,
        hasComments: Bool
    ) -> (inner: Substring, end: Substring.Index)? {
        guard close < text.endIndex else { return nil }
        let inner = text[text.index(after: text.startIndex)..<close]
        guard hasComments || inner.first == "\\" else { return nil }
        return (inner, text.index(after: close))
    }

    private static func escaped(_ character: Character) -> String? {
        switch character {
        case "N", "n": "\n"
        case "h": "\u{A0}"
        case "{", "}": String(character)
        default: nil
        }
    }

    private mutating func flush(_ pending: inout String) {
        defer { pending = "" }
        guard !pending.isEmpty, !isDrawing else { return }
        var run = TextRun(text: pending)
        run.isBold = appearance.isBold
        run.isItalic = appearance.isItalic
        run.isUnderlined = appearance.isUnderlined
        run.isStruckOut = appearance.isStruckOut
        run.color = appearance.color
        run.font = appearance.font
        run.size = appearance.size.map { $0 / header.height }
        if let last = runs.indices.last, runs[last].hasLook(of: run) {
            runs[last].text += pending
        } else {
            runs.append(run)
        }
    }

    /// Removes empty lines at the end.
    private mutating func trim() {
        while var last = runs.last {
            while let character = last.text.last, character.isNewline { last.text.removeLast() }
            runs.removeLast()
            guard last.text.isEmpty else {
                runs.append(last)
                return
            }
        }
    }

    private mutating func apply(_ tag: ASSTag) {
        let style = base.appearance
        switch tag.name {
        case "b": appearance.isBold = tag.number.flatMap { Self.isBold($0) } ?? style.isBold
        case "i": appearance.isItalic = tag.number.flatMap { Self.flag($0) } ?? style.isItalic
        case "u": appearance.isUnderlined = tag.number.flatMap { Self.flag($0) } ?? style.isUnderlined
        case "s": appearance.isStruckOut = tag.number.flatMap { Self.flag($0) } ?? style.isStruckOut
        case "c", "1c":
            appearance.color = tag.argument.isEmpty ? style.color : ASSColor.rgb(tag.argument) ?? appearance.color
        case "fn": appearance.font = tag.argument.isEmpty || tag.argument == "0" ? style.font : String(tag.argument)
        case "fs": appearance.size = size(tag.argument)
        case "r": appearance = tag.argument.isEmpty ? style : header.style(named: String(tag.argument)).appearance
        case "p": isDrawing = tag.number.map { $0 > 0 } ?? false
        case "an": align(tag.number.flatMap(ASSAlignment.numpad))
        case "a": align(tag.number.flatMap(ASSAlignment.legacy))
        case "pos", "move": place(tag.numbers, count: tag.name == "pos" ? 2 : 4)
        default: break
        }
    }

    private static func flag(_ number: Int) -> Bool? { number == 0 ? false : number == 1 ? true : nil }

    /// 0, 1, or a weight of 100 to 900.
    private static func isBold(_ number: Int) -> Bool? { number >= 100 ? number >= 600 : flag(number) }

    /// `+` and `-` change the current size in steps of a tenth.
    private func size(_ argument: Substring) -> Double? {
        guard let number = Double(argument), number.isFinite, abs(number) <= 1e6 else { return base.appearance.size }
        guard let sign = argument.first, sign == "+" || sign == "-" else {
            return number > 0 ? number : base.appearance.size
        }
        guard let size = appearance.size ?? base.appearance.size else { return nil }
        let scaled = size * (1 + number / 10)
        return scaled > 0 ? min(scaled, 1e6) : base.appearance.size
    }

    /// Only the first alignment of an event counts.
    private mutating func align(_ alignment: Int?) {
        guard let alignment, !hasAlignment else { return }
        self.alignment = alignment
        hasAlignment = true
    }

    /// Only the first position of an event counts. For a movement, its starting point is used.
    private mutating func place(_ numbers: [Double], count: Int) {
        guard position == nil, numbers.count >= count else { return }
        let (x, y) = (numbers[0] / header.width, numbers[1] / header.height)
        // Overflow, from a huge number or a tiny canvas, counts as no position.
        guard x.isFinite, y.isFinite else { return }
        position = CuePosition(x: x, y: y)
    }
}

extension TextRun {
    func hasLook(of other: TextRun) -> Bool {
        var other = other
        other.text = text
        return self == other
    }
}
