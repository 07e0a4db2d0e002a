// SPDX-License-Identifier: Apache-2.0

/// Tone mapping from HDR to BT.709 with libavfilter's `zscale` and `tonemap`.
///
/// Light is in units of 100 cd/m², the white of a standard display. Primaries are converted to BT.709, the Hable curve
/// maps the content's peak to white, and `desat=0` keeps bright colours from being desaturated. For `t=bt709`, `zscale`
/// applies the inverse of the BT.1886 display curve.
enum ToneMapping {
    /// The luminance of 1.0, in cd/m².
    static let unit = 100
    /// The peak if no metadata states one, in units of `unit`: 1000 cd/m², as for HLG's reference display.
    static let commonPeak = 10.0

    /// The first `zscale` step. For HLG it applies the reference display's gamma to the luminance of each pixel (ITU-R
    /// BT.2100, table 5). `zscale`'s approximate mode would apply it to each component separately.
    static func toLinear(isHybrid: Bool) -> String { "t=linear:npl=\(unit)\(isHybrid ? ":agamma=0" : "")" }

    /// Converts linear light of any primaries to BT.709.
    static func toStandard(peak: Double, _ planes: StillPlanes) -> String {
        """
        format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0:peak=\(peak),\
        zscale=t=bt709:\(planes.conversion),format=\(planes.format)
        """
    }

    /// Converts linear light to PQ.
    static let toPQ = "zscale=t=smpte2084:npl=\(unit):m=gbr:r=full,format=gbrp16le"
}
