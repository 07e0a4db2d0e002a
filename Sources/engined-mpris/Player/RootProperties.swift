// SPDX-License-Identifier: Apache-2.0

/// `org.mpris.MediaPlayer2`: what the player is. Nothing of it changes.
enum RootProperties {
    /// It has no window to raise and nothing to show full-screen, and ends with the session, not at a client's wish.
    static let values: [String: DBusValue] = [
        "CanQuit": .boolean(false),
        "Fullscreen": .boolean(false),
        "CanSetFullscreen": .boolean(false),
        "CanRaise": .boolean(false),
        "HasTrackList": .boolean(false),
        "Identity": .string("engined"),
        "SupportedUriSchemes": .strings(schemes),
        "SupportedMimeTypes": .strings(mimeTypes),
    ]

    /// What `OpenUri` takes.
    static let schemes = ["file"]

    private static let mimeTypes = [
        "video/mp4", "video/quicktime", "video/x-m4v", "video/x-matroska", "video/webm", "video/mp2t", "video/mpeg",
        "video/x-msvideo", "video/x-flv", "video/ogg", "video/3gpp", "application/ogg", "audio/mp4", "audio/x-matroska",
        "audio/webm", "audio/ogg", "audio/mpeg", "audio/aac", "audio/flac", "audio/ac3", "audio/eac3", "audio/x-wav",
    ]
}
