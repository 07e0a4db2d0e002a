// SPDX-License-Identifier: Apache-2.0

/// The sample entries of video that the writer knows, by their four-character codes (ISO/IEC 14496-15, AV1-ISOBMFF, VP
/// codec binding, Dolby Vision Streams within the ISO Base Media File Format).
package enum VideoEntry: String, Hashable, Sendable, CaseIterable {
    case avc1, avc3, hvc1, hev1, dvh1, av01, dav1, vp09

    var boxType: BoxType {
        switch self {
        case .avc1: "avc1"
        case .avc3: "avc3"
        case .hvc1: "hvc1"
        case .hev1: "hev1"
        case .dvh1: "dvh1"
        case .av01: "av01"
        case .dav1: "dav1"
        case .vp09: "vp09"
        }
    }

    /// The code that names Dolby Vision on top of this entry in CODECS and SUPPLEMENTAL-CODECS: it says whether parameter
    /// sets stand in the entry or in band, as the entry itself does.
    var dolbyVisionCode: String? {
        switch self {
        case .avc1: "dva1"
        case .avc3: "dvav"
        case .hvc1, .dvh1: "dvh1"
        case .hev1: "dvhe"
        case .av01, .dav1: "dav1"
        case .vp09: nil
        }
    }
}
