// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Provides the pictures of the subtitle track that is drawn into a video.
package protocol SubtitlePictures: Sendable {
    /// The pictures of a range of the session's timeline, in order. Empty if they cannot be drawn; the implementation
    /// reports that.
    ///
    /// - Parameters:
    ///   - width: of the video as it is displayed, in pixels.
    ///   - height: of the video as it is displayed, in pixels.
    func pictures(in range: MediaTimeRange, width: Int, height: Int) async -> [DrawnPicture]
}
