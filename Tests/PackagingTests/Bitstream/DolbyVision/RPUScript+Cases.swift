// SPDX-License-Identifier: Apache-2.0

import Testing

extension RPUScript: CustomTestStringConvertible {
    var testDescription: String { name }

    /// Luminance, trims, active area, fallback luminance, debugging: levels 1, 2, 4, 5, 6 and 255.
    static let olderBlocks = [
        (1, "00060b9029"), (2, "b238007ff8008008007ffe"), (4, "123456"), (5, "00000000008600"), (6, "03e8000103e80190"),
        (255, "010203040506"),
    ]
    /// Levels 3, 8, 9, 10, 11 and 254.
    static let newBlocks = [
        (3, "8008008000"), (8, "ff800800800800800800"), (9, "00"), (10, "14bb800002"), (11, "01800000"), (254, "0002"),
    ]

    /// RPUs with an enhancement layer, and the results of their conversion.
    static let conversions: [(source: RPUScript, result: RPUScript)] = [
        change(RPUScript(name: "minimal layer", layer: .minimal)),
        change(RPUScript(name: "minimal layer, bent curves", layer: .minimal, curves: .bent), keepsCurves: true),
        change(RPUScript(name: "full layer", layer: .full)),
        change(RPUScript(name: "full layer, bent curves", layer: .full, curves: .bent)),
        change(RPUScript(name: "floating point", layer: .full, isFloat: true)),
        change(RPUScript(name: "floating point, minimal layer", layer: .minimal, isFloat: true)),
        change(RPUScript(name: "extended mapping", layer: .full, curves: .bent, enhancementDepthCode: 0x1502)),
        change(RPUScript(name: "divided picture", layer: .minimal, partitions: 3)),
        change(RPUScript(name: "an earlier mapping", layer: .full, previousID: 3)),
        change(RPUScript(name: "no colour", layer: .full, hasColor: false)),
        change(RPUScript(name: "compressed colour", layer: .minimal, isCompressed: true, blocks: olderBlocks)),
        change(RPUScript(name: "version 2.9 blocks", layer: .full, blocks: olderBlocks)),
        change(RPUScript(name: "version 4.0 blocks", layer: .full, blocks: olderBlocks, newerBlocks: newBlocks)),
        change(RPUScript(name: "version 4.0 blocks alone", layer: .minimal, newerBlocks: newBlocks)),
        change(
            RPUScript(name: "data before the checksum", layer: .minimal, blocks: olderBlocks, rest: "000000000102ff")
        ),
        change(RPUScript(name: "padding", layer: .minimal, trailing: "0000")),
        change(RPUScript(name: "escaped padding", layer: .minimal, trailing: "000003")),
    ]

    /// Applies mode 2 of dovi_tool to the fields: removes the residual and the partitions, replaces the curves of a
    /// full layer by identity curves, and sets the matrices of BT.2020.
    private static func change(
        _ source: RPUScript,
        keepsCurves: Bool = false
    ) -> (source: RPUScript, result: RPUScript) {
        var result = source
        result.layer = .none
        result.partitions = 0
        if !keepsCurves { result.curves = .straight }
        result.matrices = standardMatrices
        result.colorSpace = 0
        return (source, result)
    }
}
