// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// How to treat interlaced frames, in the words of `Deinterlacing`.
struct DeinterlacingArgument: Equatable, ExpressibleByArgument {
    static let allValueStrings = Deinterlacing.allCases.map(\.rawValue)

    let deinterlacing: Deinterlacing

    init?(argument: String) {
        guard let deinterlacing = Deinterlacing(rawValue: argument) else { return nil }
        self.deinterlacing = deinterlacing
    }
}
