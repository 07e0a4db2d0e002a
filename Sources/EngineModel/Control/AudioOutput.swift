// SPDX-License-Identifier: Apache-2.0

/// An output on which the engine itself plays a session's audio.
public enum AudioOutput: Hashable, Sendable {
    package static let nameLimit = 4096

    /// A device: a sink of the sound server, or `alsa:` followed by an ALSA device. An empty name is the default
    /// device: the sound server's if it responds, otherwise ALSA's.
    case device(String)
    /// Discards the audio at the pace of a device.
    case null
    /// A WAVE file at this absolute path or `file:` URL, which is created or truncated.
    case file(String)
}
