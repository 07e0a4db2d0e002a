// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Provides the subtitles that are drawn into decoded frames.
///
/// Thread-safety: safe.
package protocol FrameSubtitles: Sendable {
    /// The images on screen at each of `times`, from the lowest to the highest. Waits for a limited time only: images
    /// that are not drawn by then are missing, and the implementation reports that.
    ///
    /// - Parameters:
    ///   - times: of consecutive frames, on the session's timeline.
    ///   - width: of the frames as they are displayed, in pixels.
    ///   - height: of the frames as they are displayed, in pixels.
    /// - Returns: as many elements as `times` has.
    func images(at times: [MediaTime], width: Int, height: Int) async -> [[CueImage]]
}
