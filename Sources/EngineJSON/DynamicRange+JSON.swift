// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Parts of `video` in the schema of `probe --json`: docs/enginectl.md.

extension MasteringDisplay {
    /// In the units of `mdcv`: chromaticity in steps of 0.00002, luminance in steps of 0.0001 cd/m².
    package var json: JSON {
        .object(
            ("red", red.json),
            ("green", green.json),
            ("blue", blue.json),
            ("white", white.json),
            ("max_luminance", .integer(maximumLuminance)),
            ("min_luminance", .integer(minimumLuminance))
        )
    }
}

extension MasteringDisplay.Chromaticity {
    fileprivate var json: JSON { .array([.integer(x), .integer(y)]) }
}

extension ContentLight {
    package var json: JSON { .object(("max_cll", .integer(maximum)), ("max_fall", .integer(frameAverage))) }
}

extension DolbyVisionConfiguration {
    package var json: JSON {
        .object(
            ("version", .string("\(versionMajor).\(versionMinor)")),
            ("profile", .integer(profile)),
            ("level", .integer(level)),
            ("rpu_present", .bool(hasRPU)),
            ("el_present", .bool(hasEnhancementLayer)),
            ("bl_present", .bool(hasBaseLayer)),
            ("compatibility", .integer(compatibility))
        )
    }
}
