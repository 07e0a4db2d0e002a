// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension StillLayout {
    /// The same as a description for libavfilter.
    var filters: String {
        let crop =
            cropping.isNone
            ? ""
            : "crop=iw-\(cropping.left + cropping.right):ih-\(cropping.top + cropping.bottom):\(cropping.left)"
                + ":\(cropping.top):exact=1,"
        let turn =
            switch rotation {
            case 90: ",transpose=clock"
            case 180: ",hflip,vflip"
            case 270: ",transpose=cclock"
            default: ""
            }
        return "\(crop)scale=\(scaledWidth):\(scaledHeight):flags=bicubic+accurate_rnd,setsar=1\(turn)"
    }
}
