// SPDX-License-Identifier: Apache-2.0

/// The coding layer of CTA-708 (§7): one code in a service's byte stream.
enum ServiceCode: Hashable, Sendable {
    case character(Unicode.Scalar)
    case backspace
    case formFeed
    case carriageReturn
    case horizontalReturn
    case setCurrent(Int)
    /// The windows as a bit mask, as in the next four cases.
    case clear(UInt8)
    case display(UInt8)
    case hide(UInt8)
    case toggle(UInt8)
    case delete(UInt8)
    /// In tenths of a second.
    case delay(Int)
    case endDelay
    case reset
    case penAttributes(UInt8, UInt8)
    case penColor(UInt8)
    case penLocation(row: Int, column: Int)
    case windowAttributes(UInt8)
    case define(Int, ServiceWindow.Definition)
    /// A code without effect.
    case nothing

    private static let extended: UInt8 = 0x10
    private static let wideCharacter: UInt8 = 0x18

    /// The code at the start of `bytes` and its length. `nil` if the code is still incomplete.
    static func first(of bytes: ArraySlice<UInt8>) -> (code: ServiceCode, count: Int)? {
        guard let first = bytes.first else { return nil }
        let rest = bytes.dropFirst()
        if first == extended {
            guard let second = rest.first, let count = extendedCount(second, rest.dropFirst()) else { return nil }
            guard bytes.count >= count else { return nil }
            return (ServiceCharacters.extended(second).map { .character($0) } ?? .nothing, count)
        }
        let count = 1 + argumentCount(first)
        guard bytes.count >= count else { return nil }
        return (code(first, Array(rest.prefix(count - 1))), count)
    }

    private static func argumentCount(_ code: UInt8) -> Int {
        switch code {
        case 0x11...0x17, 0x88...0x8D: 1
        case 0x18...0x1F, 0x90, 0x92: 2
        case 0x91: 3
        case 0x97: 4
        case 0x98...0x9F: 6
        default: 0
        }
    }

    /// Codes after EXT1: the sets C2 and C3 define no codes, only lengths (§7.1.5, §7.1.7).
    ///
    /// - Returns: the length including EXT1; `nil` if it is not known yet.
    private static func extendedCount(_ code: UInt8, _ rest: ArraySlice<UInt8>) -> Int? {
        switch code {
        case 0x00...0x1F: 2 + Int(code >> 3)
        case 0x80...0x87: 6
        case 0x88...0x8F: 7
        case 0x90...0x9F: rest.first.map { 3 + Int($0 & 0x1F) }
        default: 2
        }
    }

    private static func code(_ first: UInt8, _ arguments: [UInt8]) -> ServiceCode {
        switch first {
        case 0x08: .backspace
        case 0x0C: .formFeed
        case 0x0D: .carriageReturn
        case 0x0E: .horizontalReturn
        case wideCharacter: .character(ServiceCharacters.wide(arguments[0], arguments[1]))
        case 0x20...0x7F, 0xA0...0xFF: .character(ServiceCharacters.basic(first))
        case 0x80...0x87: .setCurrent(Int(first & 7))
        case 0x88: .clear(arguments[0])
        case 0x89: .display(arguments[0])
        case 0x8A: .hide(arguments[0])
        case 0x8B: .toggle(arguments[0])
        case 0x8C: .delete(arguments[0])
        case 0x8D: .delay(Int(arguments[0]))
        case 0x8E: .endDelay
        case 0x8F: .reset
        case 0x90: .penAttributes(arguments[0], arguments[1])
        case 0x91: .penColor(arguments[0])
        case 0x92: .penLocation(row: Int(arguments[0] & 0x0F), column: Int(arguments[1] & 0x3F))
        case 0x97: .windowAttributes(arguments[2])
        case 0x98...0x9F: .define(Int(first & 7), ServiceWindow.Definition(arguments))
        default: .nothing
        }
    }
}
