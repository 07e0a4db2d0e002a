// SPDX-License-Identifier: Apache-2.0

/// The libavfilter filters that clients may use, with their options. Each emits exactly one frame per input frame,
/// without delay; none reads a file, evaluates an expression or opens a connection.
package enum FilterCatalog {
    package typealias Options = [String: FilterOptionKind]

    package static let filters: [String: Options] = [
        "hflip": [:],
        "vflip": [:],
        "transpose": ["dir": .word(["cclock_flip", "clock", "cclock", "clock_flip"])],
        "crop": ["w": .integer(1...16_384), "h": .integer(1...16_384), "x": offset, "y": offset, "exact": .flag],
        "scale": [
            "w": .integer(16...8192), "h": .integer(16...8192),
            "flags": .word(["fast_bilinear", "bilinear", "bicubic", "neighbor", "area", "gauss", "lanczos", "spline"]),
        ],
        "unsharp": [
            "luma_msize_x": .odd(3...13), "luma_msize_y": .odd(3...13), "luma_amount": .number(-2...5),
            "chroma_msize_x": .odd(3...13), "chroma_msize_y": .odd(3...13), "chroma_amount": .number(-2...5),
        ],
        "cas": ["strength": unit, "planes": planes],
        "gblur": ["sigma": .number(0...200), "steps": .integer(1...6), "planes": planes, "sigmaV": .number(-1...200)],
        "avgblur": ["sizeX": .integer(1...200), "planes": planes, "sizeY": .integer(0...200)],
        "smartblur": [
            "luma_radius": .number(0.1...5), "luma_strength": .number(-1...1), "luma_threshold": .integer(-30...30),
            "chroma_radius": .number(0.1...5), "chroma_strength": .number(-1...1),
            "chroma_threshold": .integer(-30...30),
        ],
        "bilateral": ["sigmaS": .number(0...16), "sigmaR": unit, "planes": planes],
        "hqdn3d": [
            "luma_spatial": denoising, "chroma_spatial": denoising, "luma_tmp": denoising, "chroma_tmp": denoising,
        ],
        "median": [
            "radius": .integer(1...32), "planes": planes, "radiusV": .integer(0...32), "percentile": unit,
        ],
        "deblock": [
            "filter": .word(["weak", "strong"]), "block": .integer(4...512), "alpha": unit, "beta": unit, "gamma": unit,
            "delta": unit, "planes": planes,
        ],
        "deband": [
            "1thr": banding, "2thr": banding, "3thr": banding, "range": .integer(-128...128), "blur": .flag,
            "coupling": .flag,
        ],
        "gradfun": ["strength": .number(0.51...64), "radius": .integer(4...32)],
        "hue": ["h": .number(-360...360), "s": .number(-10...10), "b": .number(-10...10)],
        "huesaturation": [
            "hue": .number(-180...180), "saturation": signed, "intensity": signed, "strength": .number(0...100),
            "lightness": .flag,
        ],
        "vibrance": ["intensity": .number(-2...2), "rbal": balance, "gbal": balance, "bbal": balance],
        "colorbalance": [
            "rs": signed, "gs": signed, "bs": signed, "rm": signed, "gm": signed, "bm": signed, "rh": signed,
            "gh": signed,
            "bh": signed, "pl": .flag,
        ],
        "colortemperature": ["temperature": .number(1000...40_000), "mix": unit, "pl": unit],
        "colorchannelmixer": [
            "rr": mixing, "rg": mixing, "rb": mixing, "gr": mixing, "gg": mixing, "gb": mixing, "br": mixing,
            "bg": mixing, "bb": mixing,
        ],
        "exposure": ["exposure": .number(-3...3), "black": signed],
        "monochrome": ["cb": signed, "cr": signed, "size": .number(0.1...10), "high": unit],
        "negate": ["negate_alpha": .flag],
        "vignette": ["mode": .word(["forward", "backward"]), "angle": .number(0...1.57), "dither": .flag],
        "pixelize": [
            "width": .integer(1...1024), "height": .integer(1...1024), "mode": .word(["avg", "min", "max"]),
        ],
        "noise": [
            "alls": .integer(0...100), "all_seed": .integer(0...1_000_000), "allf": .word(["t", "u", "p", "a"]),
        ],
        "edgedetect": ["high": unit, "low": unit, "mode": .word(["wires", "colormix", "canny"])],
        "sobel": ["planes": planes, "scale": .number(0...100), "delta": .number(-255...255)],
        "chromashift": [
            "cbh": shift, "cbv": shift, "crh": shift, "crv": shift, "edge": .word(["smear", "wrap"]),
        ],
        "lenscorrection": [
            "cx": unit, "cy": unit, "k1": signed, "k2": signed, "i": .word(["nearest", "bilinear"]),
        ],
        "rotate": ["angle": .number(-6.283186...6.283186), "fillcolor": .color, "bilinear": .flag],
        "drawbox": [
            "x": offset, "y": offset, "w": .integer(1...16_384), "h": .integer(1...16_384), "color": .color,
            "thickness": .integer(1...1024), "replace": .flag,
        ],
    ]

    /// Options without which a filter is meaningless.
    package static let required: [String: [String]] = [
        "crop": ["w", "h"], "scale": ["w", "h"], "drawbox": ["x", "y", "w", "h"],
    ]

    private static let unit = FilterOptionKind.number(0...1)
    private static let signed = FilterOptionKind.number(-1...1)
    private static let mixing = FilterOptionKind.number(-2...2)
    private static let balance = FilterOptionKind.number(-10...10)
    private static let denoising = FilterOptionKind.number(0...255)
    private static let banding = FilterOptionKind.number(0.00003...0.5)
    private static let offset = FilterOptionKind.integer(0...16_384)
    private static let shift = FilterOptionKind.integer(-255...255)
    /// A bit mask with one bit per plane.
    private static let planes = FilterOptionKind.integer(0...15)
}
