// SPDX-License-Identifier: Apache-2.0

/// The video sample entries that the writer supports, by four-character code (ISO/IEC 14496-15, AV1-ISOBMFF, VP codec
/// binding, Dolby Vision Streams within the ISO Base Media File Format).
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

    /// The code for Dolby Vision on top of this entry in CODECS and SUPPLEMENTAL-CODECS. Like the entry itself, it says
    /// whether parameter sets are in the entry or in band.
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
