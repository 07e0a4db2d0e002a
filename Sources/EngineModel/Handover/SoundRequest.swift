// SPDX-License-Identifier: Apache-2.0

/// What samples are to be when they leave the engine. Those of one moment lie side by side.
public enum PCMFormat: Hashable, Sendable, CaseIterable {
    case float32
    case int16

    /// Of one sample of one channel.
    public var byteCount: Int {
        switch self {
        case .float32: 4
        case .int16: 2
        }
    }
}

/// A front-end's wish for sound in memory that it can read.
public struct SoundRequest: Hashable, Sendable {
    package static let rates = 8_000...384_000
    package static let buffers = MediaTime(microseconds: 50_000)...MediaTime(microseconds: 10_000_000)

    /// `nil`: the default session.
    public var session: SessionID?
    public var format: PCMFormat
    /// Samples a second. `nil`: the source's.
    public var rate: Int?
    /// As FFmpeg names it, such as `5.1(side)`. `nil`: the source's.
    public var layout: String?
    /// How much sound there is room for.
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
