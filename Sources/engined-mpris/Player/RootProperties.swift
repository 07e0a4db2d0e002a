// SPDX-License-Identifier: Apache-2.0

/// `org.mpris.MediaPlayer2`: properties of the application. They never change.
enum RootProperties {
    /// The player has no window to raise or to show full screen. It ends with the user's session, not at a client's
    /// request.
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

    /// The URI schemes that `OpenUri` accepts.
    static let schemes = ["file"]

    private static let mimeTypes = [
        "video/mp4", "video/quicktime", "video/x-m4v", "video/x-matroska", "video/webm", "video/mp2t", "video/mpeg",
        "video/x-msvideo", "video/x-flv", "video/ogg", "video/3gpp", "application/ogg", "audio/mp4", "audio/x-matroska",
        "audio/webm", "audio/ogg", "audio/mpeg", "audio/aac", "audio/flac", "audio/ac3", "audio/eac3", "audio/x-wav",
    ]
}
