// SPDX-License-Identifier: Apache-2.0

/// The Dolby Vision profile of an RPU. No field states it; it is derived from fields that differ between profiles.
package enum RPUProfile: Hashable, Sendable {
    /// An 8-bit base layer with an enhancement layer.
    case four
    /// A base layer in full-range IPT, which is not viewable by itself.
    case five
    /// HDR10 with an enhancement layer, which is minimal if it carries no residual. `nil` if an earlier RPU decides
    /// this.
    case seven(isMinimal: Bool?)
    /// A base layer only.
    case eight
}

extension RPU {
    /// `nil` if the fields match no profile.
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

    /// Converts the RPU to profile 8.1, without the enhancement layer. `nil` if the profile is unknown, or if its base
    /// layer is not HDR10 (4 and 5).
    ///
    /// The base layer is the complete picture afterwards, so the residual's parameters are removed. If there was a
    /// residual (a full enhancement layer, FEL), each curve is replaced by one that changes nothing, because the curves
    /// were made for the sum of both layers. Colour is described as BT.2020 in limited range, and the extension blocks
    /// are kept. Matches mode 2 of `dovi_tool`, whose output displays are known to support.
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
    /// Y'CbCr of ITU-R BT.2020 in limited range to R'G'B', and RGB to LMS: the matrix of ITU-R BT.2100 Table 7 without
    /// the crosstalk of 4 % that it includes.
    fileprivate mutating func describeBT2020() {
        toRGB = [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0]
        toRGBOffset = [1 << 24, 1 << 27, 1 << 27]
        toLMS = [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
        colorSpace = 0
    }
}
