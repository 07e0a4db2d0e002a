// SPDX-License-Identifier: Apache-2.0

/// From light of high dynamic range to codes of BT.709, by libavfilter's `zscale` and `tonemap`.
///
/// Light counts in units of 100 cd/m², the white of a standard display. Its primaries become those of BT.709, the curve of
/// Hable takes the content's peak to white, and the hue stays: `desat=0`. The display's curve is that of BT.1886.
enum LightMapping {
    /// cd/m² that stand for 1.
    static let unit = 100
    /// The peak where nothing says one, and of HLG: that of its reference display, 1000 cd/m².
    static let commonPeak = 10.0

    /// For `zscale`, before anything else. HLG gets the gamma of its reference display from the luminance of each pixel (ITU-R
    /// BT.2100, table 5): what `zscale` does when it is told to approximate takes it for each component by itself.
    static func toLinear(isHybrid: Bool) -> String { "t=linear:npl=\(unit)\(isHybrid ? ":agamma=0" : "")" }

    /// Behind linear light of any primaries.
    static func toStandard(peak: Double, _ planes: StillPlanes) -> String {
        """
        format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0:peak=\(peak),\
        zscale=t=bt709:\(planes.conversion),format=\(planes.format)
        """
    }

    /// Behind linear light: the same on the PQ curve.
    static let toPQ = "zscale=t=smpte2084:npl=\(unit):m=gbr:r=full,format=gbrp16le"
}
