// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// For example `1920x1080`.
struct SizeArgument: ExpressibleByArgument {
    let width: Int
    let height: Int

    init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    init?(argument: String) {
        let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { digits in
            digits.allSatisfy { ("0"..."9").contains($0) } ? Int(digits) : nil
        }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1] else { return nil }
        self.init(width: width, height: height)
    }

    var defaultValueDescription: String { "\(width)x\(height)" }
}
