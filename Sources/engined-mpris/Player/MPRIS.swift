// SPDX-License-Identifier: Apache-2.0

/// Names from the MPRIS D-Bus Interface Specification 2.2, and of the interfaces that every object has.
enum MPRIS {
    static let busName = "org.mpris.MediaPlayer2.engined"
    static let objectPath = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    /// The track id that means "no track".
    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// The name of an instance when another one owns `busName` (specification, "Bus Name Policy").
    static func busName(ofInstance process: Int32) -> String { "\(busName).instance\(process)" }
}

/// `PlaybackStatus`.
enum PlaybackStatus: String {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// `LoopStatus`. There is no track list, so `Playlist` is never reported and cannot be set.
enum LoopStatus: String {
    case none = "None"
    case track = "Track"
}
