// SPDX-License-Identifier: Apache-2.0

/// The format of samples handed to front-ends. Channels are interleaved.
public enum PCMFormat: Hashable, Sendable, CaseIterable {
    case float32
    case int16

    /// Bytes per sample of one channel.
    public var byteCount: Int {
        switch self {
        case .float32: 4
        case .int16: 2
        }
    }
}

/// A front-end's request for audio in memory that it can read.
public struct AudioRequest: Hashable, Sendable {
    package static let rates = 8_000...384_000
    package static let buffers = MediaTime(microseconds: 50_000)...MediaTime(microseconds: 10_000_000)

    /// `nil`: the default session.
    public var session: SessionID?
    public var format: PCMFormat
    /// Sample rate in Hz. `nil`: the source's.
    public var rate: Int?
    /// FFmpeg's name of the channel layout, such as `5.1(side)`. `nil`: the source's.
    public var layout: String?
    /// The duration of audio that the ring can hold.
    public var buffer: MediaTime

    public init(
        of session: SessionID? = nil,
        format: PCMFormat = .float32,
        rate: Int? = nil,
        layout: String? = nil,
        buffer: MediaTime = .seconds(1)
    ) {
        self.session = session
        self.format = format
        self.rate = rate
        self.layout = layout
        self.buffer = buffer
    }
}
