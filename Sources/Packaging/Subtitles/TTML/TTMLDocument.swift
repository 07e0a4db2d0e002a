// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Timed text in XML: TTML1, TTML2, their IMSC profiles for text, EBU-TT-D, and the drafts known as DFXP (W3C TTML2).
///
/// Pass it the events of the document in order, then call `cues(track:)`. It keeps what cues can express: times, text,
/// line breaks, bold, italic, underlined and struck out text, colours, and the place on the screen. Images and
/// animations are ignored.
package struct TTMLDocument {
    /// Why a well-formed document is refused. Real subtitles stay within these limits; without limits, a hostile
    /// document could take any amount of time.
    package enum Excess: Error, Hashable, CustomStringConvertible {
        case elements, depth, work

        package var description: String {
            switch self {
            case .elements: "it has more than \(elementLimit) elements"
            case .depth: "its elements are nested more than \(depthLimit) deep"
            case .work: "too many of its spans are shown together, each with its own times"
            }
        }
    }

    /// An element, or text.
    private enum Node {
        case element(Element)
        case text(String)
    }

    private struct Element {
        let name: String
        let attributes: [String: String]
        var children: [Node] = []

        var elements: [Element] {
            children.compactMap { node in if case .element(let element) = node { element } else { nil } }
        }

        func descendants(_ name: String) -> [Element] {
            elements.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(name) }
        }
    }

    /// Text with its own time.
    private struct Piece {
        var start: MediaTime
        /// `nil`: not stated.
        var end: MediaTime?
        var text: String
        var style: TTMLStyle
    }

    private static let elementLimit = 1_000_000
    private static let depthLimit = 64
    /// How much work a document may need, in pieces and bytes of text.
    private static let workLimit = 20_000_000
    /// The duration of the last cue if the document states none.
    private static let defaultLength = MediaTime.seconds(5)

    private var open: [Element] = []
    private var root: Element?
    private var elementCount = 0
    private var excess: Excess?

    package init() {}

    /// Ignores what follows once a limit is exceeded.
    package mutating func take(_ event: XMLEvent) {
        guard excess == nil else { return }
        switch event {
        case .start(let name, let attributes):
            elementCount += 1
            if elementCount > Self.elementLimit { excess = .elements }
            if open.count == Self.depthLimit { excess = .depth }
            open.append(Element(name: name, attributes: attributes))
        case .text(let text):
            if let last = open.indices.last { open[last].children.append(.text(text)) }
        case .end:
            guard let element = open.popLast() else { return }
            guard let parent = open.indices.last else { return root = element }
            open[parent].children.append(.element(element))
        }
    }

    /// The language that the document states (RFC 5646); empty if none.
    package var language: String { root?.attributes["lang"] ?? "" }

    /// The cues in the order of their times.
    ///
    /// - Parameter track: the track of the cues.
    /// - Throws: if the document exceeds a limit.
    package func cues(track: Int = 0) throws(Excess) -> [Cue] {
        if let excess { throw excess }
        guard let root, root.name == "tt", let body = root.elements.first(where: { $0.name == "body" }) else {
            return []
        }
        var reading = Reading(root)
        let context = Reading.Context(keepsSpace: root.attributes["space"] == "preserve")
        reading.read(body, in: context, from: .zero, to: nil)
        guard reading.work < Self.workLimit else { throw .work }
        let cues = reading.cues.sorted { $0.start < $1.start }
        var (next, start): (MediaTime?, MediaTime?) = (nil, nil)
        let closed = cues.reversed().map { cue in
            if let start, start > cue.start { next = start }
            start = cue.start
            let end = cue.end ?? next ?? cue.start + Self.defaultLength
            return Cue(track: track, start: cue.start, end: end, content: .text(cue.text))
        }
        return closed.reversed()
    }

    /// Walks through the body (TTML2 §8.1) and computes the times of its elements (§12.2).
    private struct Reading {
        /// The properties that an element gets from its ancestors.
        struct Context {
            var style = TTMLStyle()
            var region: String?
            var keepsSpace = false
        }

        struct Timed {
            let start: MediaTime
            let end: MediaTime?
            let text: CueText
        }

        private let clock: TTMLClock
        private let place: TTMLPlace
        private var styles: [String: TTMLStyle] = [:]
        private var regions: [String: (style: TTMLStyle, start: MediaTime, end: MediaTime?)] = [:]
        private(set) var cues: [Timed] = []
        /// The work so far, in pieces and bytes of text.
        private(set) var work = 0

        init(_ root: Element) {
            clock = TTMLClock(root.attributes)
            place = TTMLPlace(root.attributes)
            let head = root.elements.filter { $0.name == "head" }
            let named = head.flatMap { $0.elements.filter { $0.name == "styling" } }.flatMap { $0.descendants("style") }
            let elements = Dictionary(named.compactMap { style in style.attributes["id"].map { ($0, style) } }) { $1 }
            for name in elements.keys { _ = resolve(name, elements, depth: 0) }
            for region in head.flatMap({ $0.descendants("region") }) {
                guard let name = region.attributes["id"] else { continue }
                let inner = region.elements.filter { $0.name == "style" }.reduce(TTMLStyle()) { style, element in
                    TTMLStyle(element.attributes).completed(by: style)
                }
                let start = clock.time(region.attributes["begin"]) ?? .zero
                regions[name] = (specified(region).completed(by: inner), start, clock.time(region.attributes["end"]))
            }
        }

        /// Resolves a style, including the styles that it refers to (TTML2 §10.4.4.3). Each style is resolved once, so
        /// this takes linear time.
        private mutating func resolve(_ name: String, _ elements: [String: Element], depth: Int) -> TTMLStyle {
            if let known = styles[name] { return known }
            guard depth < depthLimit, let element = elements[name] else { return TTMLStyle() }
            // Ends circular references.
            styles[name] = TTMLStyle()
            var referred = TTMLStyle()
            for other in Self.words(element.attributes["style"]) {
                referred = resolve(other, elements, depth: depth + 1).completed(by: referred)
            }
            let style = TTMLStyle(element.attributes).completed(by: referred)
            styles[name] = style
            return style
        }

        private static func words(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }

        /// The style that an element specifies: its own attributes, then the styles that it refers to, the last first.
        private func specified(_ element: Element) -> TTMLStyle {
            let referred = Self.words(element.attributes["style"]).reduce(TTMLStyle()) { style, name in
                styles[name].map { $0.completed(by: style) } ?? style
            }
            return TTMLStyle(element.attributes).completed(by: referred)
        }

        private func context(of element: Element, in parent: Context) -> Context {
            var context = parent
            if let region = element.attributes["region"], context.region == nil {
                context.region = region
                if let style = regions[region]?.style { context.style = context.style.inheriting(style) }
            }
            context.style = specified(element).inheriting(context.style)
            if let space = element.attributes["space"] { context.keepsSpace = space == "preserve" }
            return context
        }

        /// When an element is active. Its times count from the start of its parent, and it ends no later than its
        /// parent.
        private func interval(
            of element: Element,
            from start: MediaTime,
            to limit: MediaTime?
        ) -> (start: MediaTime, end: MediaTime?) {
            let begin = start + (clock.time(element.attributes["begin"]) ?? .zero)
            let ends = [
                clock.time(element.attributes["end"]).map { start + $0 },
                clock.time(element.attributes["dur"]).map { begin + $0 }, limit,
            ]
            return (begin, ends.compactMap(\.self).min())
        }

        /// Calls `visit` with each child, the time from which its own times count, and the limit of its end. Children
        /// begin together, or in sequence.
        private func forEachChild(
            of element: Element,
            from start: MediaTime,
            to end: MediaTime?,
            _ visit: (Node, MediaTime, MediaTime?) -> Void
        ) {
            let isSequence = element.attributes["timeContainer"] == "seq"
            var next = start
            for child in element.children {
                visit(child, isSequence ? next : start, end)
                guard isSequence, case .element(let element) = child,
                    ["body", "div", "p", "span"].contains(element.name)
                else { continue }
                // An element without an end lasts as long as its parent.
                next = interval(of: element, from: next, to: end).end ?? end ?? next
            }
        }

        mutating func read(_ element: Element, in parent: Context, from start: MediaTime, to limit: MediaTime?) {
            let context = context(of: element, in: parent)
            guard context.style.isOmitted != true,
                context.region.flatMap({ regions[$0]?.style.isOmitted }) != true
            else { return }
            let (begin, end) = interval(of: element, from: start, to: limit)
            guard end.map({ $0 > begin }) ?? true else { return }
            if element.name == "p" { return readParagraph(element, in: context, from: begin, to: end) }
            var children: [(Element, MediaTime, MediaTime?)] = []
            forEachChild(of: element, from: begin, to: end) { node, start, end in
                if case .element(let child) = node, ["body", "div", "p"].contains(child.name) {
                    children.append((child, start, end))
                }
            }
            for (child, start, end) in children { read(child, in: context, from: start, to: end) }
        }

        private mutating func readParagraph(
            _ paragraph: Element,
            in context: Context,
            from start: MediaTime,
            to end: MediaTime?
        ) {
            var pieces: [Piece] = []
            collect(paragraph, in: context, from: start, to: end, &pieces)
            var (first, last) = (start, end)
            let region = context.region.flatMap { regions[$0] }
            if let region {
                first = max(first, region.start)
                last = [last, region.end].compactMap(\.self).min()
            }
            // Spans with times of their own appear and disappear while the others stay.
            let edges = Set(pieces.flatMap { [$0.start, $0.end].compactMap(\.self) } + [first])
                .filter { edge in edge >= first && last.map { edge < $0 } ?? true }.sorted()
            let alignment = place.alignment(of: context.style, in: region?.style)
            for (index, edge) in edges.enumerated() {
                let shown = pieces.filter { $0.start <= edge && $0.end.map { $0 > edge } ?? true }
                work += pieces.count + shown.reduce(0) { $0 + $1.text.utf8.count }
                guard work < workLimit else { return }
                let runs = Self.runs(shown)
                guard runs.contains(where: { $0.text.contains { !$0.isWhitespace } }) else { continue }
                let plain = runs.map(\.text).joined()
                let text = CueText(plain: plain, runs: runs, alignment: alignment)
                let end = index + 1 < edges.count ? edges[index + 1] : last
                if let previous = cues.last, previous.text == text, previous.end == edge {
                    cues[cues.count - 1] = Timed(start: previous.start, end: end, text: text)
                } else {
                    cues.append(Timed(start: edge, end: end, text: text))
                }
            }
        }

        private func collect(
            _ element: Element,
            in context: Context,
            from start: MediaTime,
            to end: MediaTime?,
            _ pieces: inout [Piece]
        ) {
            forEachChild(of: element, from: start, to: end) { node, start, end in
                switch node {
                case .text(let text):
                    guard context.style.isHidden != true else { return }
                    let shown = context.keepsSpace ? text : Self.collapsed(text)
                    pieces.append(Piece(start: start, end: end, text: shown, style: context.style))
                case .element(let child) where child.name == "br":
                    pieces.append(Piece(start: start, end: end, text: "\n", style: context.style))
                case .element(let child) where child.name == "span":
                    let inner = self.context(of: child, in: context)
                    guard inner.style.isOmitted != true else { return }
                    let (begin, last) = interval(of: child, from: start, to: end)
                    guard last.map({ $0 > begin }) ?? true else { return }
                    collect(child, in: inner, from: begin, to: last, &pieces)
                case .element: break
                }
            }
        }

        /// The text with each run of white space replaced by one space.
        private static func collapsed(_ text: String) -> String {
            var result = ""
            for character in text {
                // A no-break space is kept as text.
                let isSpace = [" ", "\n", "\t", "\r", "\r\n"].contains(character)
                if !isSpace { result.append(character) } else if result.last != " " { result.append(" ") }
            }
            return result
        }

        /// The pieces as runs of uniform style, without spaces at the ends of lines, and without empty lines.
        private static func runs(_ pieces: [Piece]) -> [TextRun] {
            var runs: [TextRun] = []
            var isLineStart = true
            func trimEnd() {
                while let last = runs.indices.last, runs[last].text.last == " " {
                    runs[last].text.removeLast()
                    if runs[last].text.isEmpty { runs.removeLast() }
                }
            }
            for piece in pieces {
                for character in piece.text {
                    let isBreak = character.isNewline
                    if isBreak { trimEnd() }
                    if isLineStart, isBreak || character == " " { continue }
                    if character == " ", runs.last?.text.last == " " { continue }
                    isLineStart = isBreak
                    let run = piece.style.run(String(isBreak ? "\n" : character))
                    if let last = runs.indices.last, runs[last].hasLook(of: run) {
                        runs[last].text += run.text
                    } else {
                        runs.append(run)
                    }
                }
            }
            trimEnd()
            while let last = runs.indices.last, runs[last].text.last == "\n" {
                runs[last].text.removeLast()
                if runs[last].text.isEmpty { runs.removeLast() }
                trimEnd()
            }
            return runs
        }
    }
}
