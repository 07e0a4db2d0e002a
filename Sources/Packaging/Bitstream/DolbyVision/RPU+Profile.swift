// SPDX-License-Identifier: Apache-2.0

/// The Dolby Vision profile an RPU is written for. Nothing in it says so; its fields differ from profile to profile.
package enum RPUProfile: Hashable, Sendable {
    /// A base layer of 8 bits with an enhancement layer.
    case four
    /// A base layer in full-range IPT, which is nothing by itself.
    case five
    /// HDR10 with an enhancement layer, which is minimal where it carries no residual. `nil` where an earlier RPU says so.
    case seven(isMinimal: Bool?)
    /// A base layer alone.
    case eight
}

extension RPU {
    /// `nil` when the fields fit no profile.
    package var profile: RPUProfile? {
        switch header.rpuProfile {
        case 0: header.isFullRange ? .five : nil
        case 1:
            if header.hasEnhancementResampling, header.hasResidual {
                header.outputBitDepth == 12
                    ? .seven(isMinimal: mapping?.residual?.isMinimal(header.coefficientType)) : .four
            } else {
                .eight
            }
        default: nil
        }
    }

    /// The RPU of the same picture without its enhancement layer, as profile 8.1 has it. `nil` for profiles whose base
    /// layer is not HDR10.
    ///
    /// The base layer stands for the whole picture afterwards: the residual's parameters go, and where there was one (a
    /// full enhancement layer, FEL) so do the curves, which were made for the sum. Colour goes from BT.2020 in limited
    /// range, and the extension blocks stay. Done as mode 2 of `dovi_tool` does it, so that displays see what they know.
    package func convertedToProfile8() -> RPU? {
        guard let profile else { return nil }
        var isFull = false
        switch profile {
        case .four, .five: return nil
        case .seven(let isMinimal): isFull = isMinimal == false
        case .eight: if mapping?.residual?.isMinimal(header.coefficientType) == false { isFull = true }
        }
        var rpu = self
        rpu.header.hasEnhancementResampling = false
        rpu.header.isResidualDisabled = true
        rpu.mapping?.residual = nil
        rpu.mapping?.columns = 0
        rpu.mapping?.rows = 0
        if isFull, let mapping {
            rpu.mapping?.curves = mapping.curves.map { _ in
                .identity(bitDepth: header.baseBitDepth, header.coefficientType)
            }
        }
        rpu.color?.signal?.describeBT2020()
        return rpu
    }
}

extension RPUColor.Signal {
    /// Y'CbCr of ITU-R BT.2020 in limited range to R'G'B', and that to LMS (ITU-R BT.2100 Table 7).
    fileprivate mutating func describeBT2020() {
        toRGB = [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0]
        toRGBOffset = [1 << 24, 1 << 27, 1 << 27]
        toLMS = [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
        colorSpace = 0
    }
}
