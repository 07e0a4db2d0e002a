// SPDX-License-Identifier: Apache-2.0

/// Gives names short forms, word by word: a word is a run of letters, digits and underscores. Strings are not recognized, so
/// none may contain a shared name as a word.
struct ShortNames {
    /// Names that modules share or use often, and that neither browsers nor the engine nor texts use. The most frequent ones come
    /// first, because the first 26 names become one character and the next 52 become two.
    private static let shared = words(
        """
        element segment seconds lane microseconds segments each list stream isSupported isChosen listen spanOf made feeder
        states node choose parseBlocks defaultAudio clock request joined answer loadMaster isOpen part label rendererName
        milliseconds chosen EngineFailure emit parts segmentAt resolve opened rendition Emitter isPassing update
        listenForKeys parseMedia address isLive owner layer appended attributes change playhead SessionSheet actions plays
        fetching isStale hollow become closeMenu isBuffering storage decoded isVideo bytes isSameTimeline hideAfter local
        supported handlers received otherLabel isDisabled master isPlaced selectVariant switchVariant alignment Storyboard
        Statistics detach helpSheet isChanged parseTime isHere isBehind isFormat hasVideo hasParts isElsewhere isRemote
        rates pairs Subtitles Renderer Sessions Timeline Menu Drawn Lane Layer Feeder Rendition drawing awaken landed
        lines block last own kept taken middle attempt isComplete isAttached selectAudio switchAudio handler receive items
        bridges missing discard resize direction follow woken stays fill settings outlines hadFocus wasOpen isFree toggled
        fetched takes reloaded parseScript eventsOf eventLine found ahead shown fields minutes quality codings filled
        """
    )
    /// Names of members of `text`. No text contains one of them as a word.
    private static let texts = words(
        "noToken usedLink cannotDecode noSessions openLabel openHint noTitle goLive dropHere badDrop playHere playsItself"
    )
    private static let forms = Dictionary(
        uniqueKeysWithValues: (shared + texts).enumerated().map { number, name in (name, sharedForm(number)) }
    )
    private static let formsInTexts = forms.filter { texts.contains($0.key) }

    /// Shortens the names of `text` in the module of texts.
    static func shortenedTexts(_ module: String) -> String { replacing(module) { word, _ in formsInTexts[word] } }

    /// Shortens shared names, and the private names of classes (`#name`), which no other module can use. A `#` after a
    /// quotation mark does not begin such a name, and a word after `./` is the name of a module's file.
    static func shortened(_ module: String) -> String {
        var own: [Substring: String] = [:]
        return replacing(module) { word, before in
            if before.hasSuffix("./") { return nil }
            guard before.last == "#" else { return forms[word] }
            if let mark = before.dropLast().last, "'`\"".contains(mark) { return nil }
            // In the order of first use.
            let short = own[word] ?? form(own.count)
            own[word] = short
            return short
        }
    }

    /// Replaces words of a text.
    ///
    /// - Parameter form: receives a word and the text between it and the word before it; returns the replacement, or `nil` to
    ///   keep the word.
    private static func replacing(_ text: String, form: (_ word: Substring, _ before: Substring) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            let between = rest.prefix { !isPartOfWord($0) }
            rest = rest[between.endIndex...]
            let word = rest.prefix(while: isPartOfWord)
            rest = rest[word.endIndex...]
            result += between + (form(word, between) ?? String(word))
        }
        return result
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    /// A, B, …, Z, $a, $b, …: no variable of a module has one of these names.
    private static func sharedForm(_ number: Int) -> String {
        number < 26 ? form(number + 26) : "$" + form(number - 26)
    }

    /// a, b, …, z, A, …, Z, a1, b1, …
    private static func form(_ number: Int) -> String {
        let (turn, place) = number.quotientAndRemainder(dividingBy: 52)
        let letter = place < 26 ? UInt8(ascii: "a") + UInt8(place) : UInt8(ascii: "A") + UInt8(place - 26)
        return String(UnicodeScalar(letter)) + (turn == 0 ? "" : "\(turn)")
    }

    private static func words(_ text: String) -> [Substring] {
        text.split { $0 == " " || $0 == "\n" }
    }
}
