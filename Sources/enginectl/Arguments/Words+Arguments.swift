// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// On or off.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off
}

/// The chapter to skip to: `next`, `previous`, or a number, counted from 1.
enum ChapterArgument: Equatable, ExpressibleByArgument {
    case step(ChapterStep)
    case number(Int)

    init?(argument: String) {
        switch argument {
        case "next": self = .step(.next)
        case "previous": self = .step(.previous)
        default:
            guard let number = Int(argument), number > 0, number < 1 << 31 else { return nil }
            self = .number(number)
        }
    }
}

/// A volume from 0 to 1, `80%`, or a change in percentage points with a sign: `+5`, `-5`.
enum VolumeArgument: Equatable, ExpressibleByArgument {
    case absolute(Double)
    case relative(Double)

    static let form = "0 to 1 or 0% to 100%; with + or - in front, a change in percentage points"

    init?(argument: String) {
        let isRelative = argument.first == "+" || argument.first == "-"
        let isPercent = argument.last == "%"
        guard let value = Double(isPercent ? argument.dropLast() : argument[...]), value.isFinite else { return nil }
        let volume = isPercent || isRelative ? value / 100 : value
        self = isRelative ? .relative(volume) : .absolute(volume)
    }
}

/// A seek target: a time, a percentage of the duration, `begin`, `end` or `live`.
enum SeekArgument: Equatable {
    case target(SeekCommand.Target)
    /// 0 … 1.
    case fraction(Double)

    static let form = "\(TimeArgument.form); 0% to 100% of the duration; begin, end or live"

    init?(_ text: String) {
        switch text {
        case "begin": self = .target(.begin)
        case "end": self = .target(.end)
        case "live": self = .target(.live)
        default:
            if text.last == "%" {
                guard let percent = Double(text.dropLast()), (0...100).contains(percent), text.first != "+" else {
                    return nil
                }
                self = .fraction(percent / 100)
            } else {
                guard let time = TimeArgument(argument: text) else { return nil }
                self = .target(time.isRelative ? .relative(time.time) : .position(time.time))
            }
        }
    }
}
