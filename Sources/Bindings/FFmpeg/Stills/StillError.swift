// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Why a decoded picture became no still.
package enum StillError: Error, Hashable, Sendable {
    case library(FFmpegError)
    /// The picture is in Dolby Vision's own colours, and nothing that came with it says what they mean.
    case noDolbyVisionMetadata
    /// The format cannot hold 16 bits a sample.
    case tooDeep(StillFormat)
}

extension StillError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .library(let error): error.description
        case .noDolbyVisionMetadata: "Dolby Vision without metadata: the picture's colours cannot be known"
        case .tooDeep(let format): "\(format.rawValue) has no 16 bits a sample"
        }
    }
}
