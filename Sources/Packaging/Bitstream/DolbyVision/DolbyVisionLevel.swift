// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Dolby Vision levels. A video's level is the lowest whose luma sample rate and width it does not exceed (Dolby Vision
/// Profiles and Levels, §2.2).
package enum DolbyVisionLevel {
    private static let table: [(level: Int, samplesPerSecond: Double, width: Int)] = [
        (1, 22_118_400, 1280), (2, 27_648_000, 1280), (3, 49_766_400, 1920), (4, 62_208_000, 2560),
        (5, 124_416_000, 3840), (6, 199_065_600, 3840), (7, 248_832_000, 3840), (8, 398_131_200, 3840),
        (9, 497_664_000, 3840), (10, 995_328_000, 3840), (11, 995_328_000, 7680), (12, 1_990_656_000, 7680),
        (13, 3_981_312_000, 7680),
    ]
    /// The level for a video of unknown size or rate: 2160p at 24 fps.
    private static let usual = 6

    package static func smallest(width: Int, height: Int, frameRate: Ratio?) -> Int {
        guard width > 0, height > 0, let rate = frameRate?.value, rate > 0 else { return usual }
        let samples = Double(width) * Double(height) * rate
        return table.first { $0.samplesPerSecond >= samples && $0.width >= width }?.level ?? 13
    }
}
