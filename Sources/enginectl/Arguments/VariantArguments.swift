// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The variant of an HLS source to play.
struct VariantArguments: ParsableArguments {
    @Option(help: ArgumentHelp(VariantArgument.form, valueName: "variant"))
    var variant: VariantArgument?

    @Option(help: ArgumentHelp("Play no variant of an HLS source with more lines.", valueName: "lines"))
    var maxHeight: Int?

    @Option(help: ArgumentHelp("Play no variant of an HLS source with a higher bandwidth.", valueName: "bits/s"))
    var maxBandwidth: BandwidthArgument?

    func validate() throws {
        if let maxHeight, !(1...1 << 20).contains(maxHeight) {
            throw ValidationError("--max-height must be from 1 to \(1 << 20).")
        }
        if variant.map({ $0.choice != .automatic }) ?? false, maxHeight != nil || maxBandwidth != nil {
            throw ValidationError("--max-height and --max-bandwidth have no effect on a --variant that is named.")
        }
    }

    var selection: VariantSelection {
        VariantSelection(variant?.choice ?? .automatic, maxHeight: maxHeight, maxBandwidth: maxBandwidth?.bitsPerSecond)
    }
}

/// A user's choice of variant: its number, its exact bandwidth or its name.
struct VariantArgument: Equatable, ExpressibleByArgument {
    let choice: VariantSelection.Choice

    static let form = "A variant of an HLS source: its number or its name in `variants`, bandwidth=BITS/S, or auto."

    init?(argument: String) {
        if argument == "auto" {
            choice = .automatic
        } else if argument.hasPrefix("bandwidth=") {
            guard let bandwidth = BandwidthArgument(argument: String(argument.dropFirst(10))) else { return nil }
            choice = .bandwidth(bandwidth.bitsPerSecond)
        } else if argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let index = Int(argument), index < 1 << 31 else { return nil }
            choice = .index(index)
        } else {
            guard !ByteText.hasEscapes(argument) else { return nil }
            choice = .name(argument.hasPrefix("name=") ? String(argument.dropFirst(5)) : argument)
        }
    }
}

/// Bits per second, for example `2500000`, `2500k` or `2.5M`.
struct BandwidthArgument: Equatable, ExpressibleByArgument {
    let bitsPerSecond: Int64

    init?(argument: String) {
        let units: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits) else {
            return nil
        }
        let bits = (number * (unit ?? 1)).rounded()
        guard bits >= 1, bits <= 1e15 else { return nil }
        bitsPerSecond = Int64(bits)
    }
}
