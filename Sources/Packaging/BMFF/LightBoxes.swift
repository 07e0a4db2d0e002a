// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension MasteringDisplay {
    /// `mdcv`, ISO/IEC 14496-12 §12.1.7: primaries in the order green, blue, red.
    func write(to writer: inout BoxWriter) {
        writer.box("mdcv") { box in
            for point in [green, blue, red, white] {
                box.uint16(point.x)
                box.uint16(point.y)
            }
            box.uint32(maximumLuminance)
            box.uint32(minimumLuminance)
        }
    }
}

extension ContentLight {
    /// `clli`, §12.1.6.
    func write(to writer: inout BoxWriter) {
        writer.box("clli") { box in
            box.uint16(maximum)
            box.uint16(frameAverage)
        }
    }
}
