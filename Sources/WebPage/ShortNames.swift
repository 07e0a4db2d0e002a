// SPDX-License-Identifier: Apache-2.0

/// Gives names short forms, word by word: a word is a run of letters, digits and underscores. Strings are not recognized, so
/// none may contain a shared name as a word.
struct ShortNames {
    /// Names that modules share or use often, and that neither browsers nor the engine nor texts use. The most frequent ones come
    /// first, because the first 26 names become one character and the next 52 become two.
    private static let shared = words(
        """
        each element lane segment list node made seconds part feeder label segments stream output clock parts
        codings answer emit buffer listen states choose request microseconds spanOf joined chosen isOpen plays own found
        isChosen opened block last resolve address owner layer change bytes Emitter Menu lines kept update isLive local
        filled isSupported rendition appended actions hollow become master detach pairs Subtitles shown parseBlocks
        loadMaster isPassing fetching isStale storage taken items ahead defaultAudio segmentAt parseMedia attributes
        playhead decoded isVideo parseTime isHere rates drawing awaken landed fill settings eventsOf rendererName
        milliseconds EngineFailure closeMenu supported handlers received isPlaced Statistics Sessions Lane middle handler
        receive follow woken stays eventLine fields isStalled listenForKeys SessionSheet isBuffering otherLabel isDisabled
        alignment Storyboard helpSheet isChanged isBehind isFormat hasVideo hasParts Renderer Timeline Drawn Feeder attempt
        bridges missing discard resize takes reloaded parseScript minutes quality isSameTimeline hideAfter selectVariant
        switchVariant Layer Rendition isComplete isAttached selectAudio switchAudio direction outlines hadFocus wasOpen
        isFree toggled fetched
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
