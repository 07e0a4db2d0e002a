// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension DolbyVisionConfiguration {
    /// The configuration box, 24 bytes of payload: `dvcC` up to profile 7, `dvvC` up to 10, `dvwC` above (Dolby Vision
    /// Streams within the ISO Base Media File Format, §3.1 and §3.2).
    func write(to writer: inout BoxWriter) {
        writer.box(boxType) { box in
            box.byte(UInt8(clamping: versionMajor))
            box.byte(UInt8(clamping: versionMinor))
            let flags = (hasRPU ? 4 : 0) | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
            box.uint16(UInt16(truncatingIfNeeded: (profile & 0x7F) << 9 | (level & 0x3F) << 3 | flags))
            box.byte(UInt8(truncatingIfNeeded: (compatibility & 0xF) << 4))
            box.zeros(19)
        }
    }

    private var boxType: BoxType { profile <= 7 ? "dvcC" : profile <= 10 ? "dvvC" : "dvwC" }

    /// The brand in SUPPLEMENTAL-CODECS for the format in which the base layer plays without Dolby Vision. `nil` if
    /// there is no such brand.
    var compatibilityBrand: String? {
        switch compatibility {
        case 1: "db1p"
        case 2: "db2g"
        case 4: "db4h"
        default: nil
        }
    }

    /// The brands that `ftyp` lists in addition to the usual ones.
    var brands: [BoxType] {
        let general: [BoxType] = ["dby1"]
        return switch compatibilityBrand {
        case "db1p": general + ["db1p"]
        case "db2g": general + ["db2g"]
        case "db4h": general + ["db4h"]
        default: general
        }
    }
}
