// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// VIDEO-RANGE (RFC 8216bis §4.4.6.2), from the transfer characteristics of ITU-T H.273.
package enum VideoRange: String, Sendable {
    case sdr = "SDR"
    case pq = "PQ"
    case hlg = "HLG"

    package init(_ color: ColorDescription) {
        self =
            switch color.transfer {
            case 16: .pq
            case 18: .hlg
            default: .sdr
            }
    }
}
