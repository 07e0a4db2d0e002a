// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal.
enum Key: Hashable, Sendable {
    /// A printable ASCII character.
    case character(Character)
    case left, right, up, down
    case shiftLeft, shiftRight
    case pageUp, pageDown
    case backspace, escape
    case controlPlus, controlMinus
}

/// Parses terminal input into keys (ECMA-48 control sequences as sent by xterm). Pure.
///
/// A sequence may be split over several reads, but not directly after its escape character: an escape character at the
/// end of a read is the Escape key. Other sequences and characters outside ASCII are ignored.
struct KeyParser {
    private static let escape: UInt8 = 0x1B
    /// Longer sequences are dropped.
    private static let limit = 16
    private static let sequences: [String: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "1;2C": .shiftRight, "1;2D": .shiftLeft, "5~": .pageUp,
        "6~": .pageDown,
        // With modifyOtherKeys, and as CSI u.
        "27;5;43~": .controlPlus, "27;5;61~": .controlPlus, "27;6;43~": .controlPlus, "27;5;45~": .controlMinus,
        "43;5u": .controlPlus, "61;5u": .controlPlus, "43;6u": .controlPlus, "45;5u": .controlMinus,
    ]

    private enum State {
        case ground
        case escaped
        /// After `ESC [` or `ESC O`.
        case sequence(String)
    }

    private var state = State.ground

    mutating func keys(in bytes: [UInt8]) -> [Key] {
        var keys = bytes.compactMap { key(at: $0) }
        if case .escaped = state {
            keys.append(.escape)
            state = .ground
        }
        return keys
    }

    private mutating func key(at byte: UInt8) -> Key? {
        let character = Character(UnicodeScalar(byte))
        switch state {
        case .ground:
            if byte == Self.escape { state = .escaped }
            return Self.plain(byte)
        case .escaped:
            state = character == "[" || character == "O" ? .sequence("") : byte == Self.escape ? .escaped : .ground
            return nil
        case .sequence(let text):
            let whole = text + String(character)
            let isComplete = (0x40...0x7E).contains(byte) || whole.utf8.count > Self.limit
            state = isComplete ? .ground : .sequence(whole)
            return isComplete ? Self.sequences[whole] : nil
        }
    }

    private static func plain(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x08, 0x7F: .backspace
        // Most terminals send this for Ctrl-minus, unless they use that key themselves.
        case 0x1F: .controlMinus
        case 0x20...0x7E: .character(Character(UnicodeScalar(byte)))
        default: nil
        }
    }
}
