// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The reason why no still could be made from a decoded frame.
package enum StillError: Error, Hashable, Sendable {
    case library(FFmpegError)
    /// The frame uses Dolby Vision's own colours, but has no metadata to interpret them.
    case noDolbyVisionMetadata
    /// The format does not support 16 bits per sample.
    case tooDeep(StillFormat)
}

extension StillError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .library(let error): error.description
        case .noDolbyVisionMetadata: "Dolby Vision without metadata: the frame's colours are unknown"
        case .tooDeep(let format): "\(format.rawValue) does not support 16 bits per sample"
        }
    }
}
