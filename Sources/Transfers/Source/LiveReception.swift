// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Receives a source that may be a live stream, i.e. whose server states neither a length nor an entity tag.
///
/// Thread-safety: safe. Bytes are received on one thread.
final class LiveReception: Sendable {
    private let make: (@Sendable () -> any StreamIntake)?
    /// `nil` unless the source may be a live stream.
    private let intake = Locked<(any StreamIntake)?>(nil)

    /// - Parameter make: makes the intake, which knows the format. If `nil`, the source is never treated as a live
    ///   stream.
    init(_ make: (@Sendable () -> any StreamIntake)?) { self.make = make }

    /// Call when a connection begins to deliver the source from its start.
    func begin(_ known: ResourceState) {
        guard known.byteCount == nil, known.tag == nil, let make else { return }
        intake.withLock { intake in
            if intake == nil { intake = make() }
        }
    }

    /// Takes bytes received on the current connection.
    ///
    /// - Returns: the bytes that are new in the stream; `nil` if the source cannot be a live stream.
    func take(_ piece: RawSpan) -> [UInt8]? {
        intake.withLock { intake in
            var bytes: [UInt8] = []
            bytes.append(copying: piece)
            return intake?.take(bytes)
        }
    }

    /// Call when the connection has ended.
    ///
    /// - Returns: the bytes that the intake has held back.
    func disconnected() -> [UInt8] { intake.withLock { $0?.disconnected() } ?? [] }

    /// Whether another connection can continue the stream.
    var canContinue: Bool { intake.withLock { $0?.canContinue } ?? false }

    /// See `ByteSource.require(stream:)`.
    ///
    /// - Returns: whether the stream has ended already.
    func require(stream: Int) -> Bool {
        intake.withLock { intake in
            intake?.require(stream: stream)
            return intake?.reception.isReplaced ?? false
        }
    }

    var reception: StreamReception { intake.withLock { $0?.reception } ?? StreamReception() }
}

extension SourceTraffic {
    /// Adds the counts of live streams.
    package mutating func addReception(of other: SourceTraffic) {
        rejoins += other.rejoins
        gaps += other.gaps
        repeatedByteCount += other.repeatedByteCount
        continuityErrors += other.continuityErrors
        transportErrors += other.transportErrors
    }

    mutating func add(_ reception: StreamReception) {
        rejoins += UInt64(reception.reconnections.count)
        gaps += UInt64(reception.gaps.count)
        repeatedByteCount += UInt64(reception.repeatedByteCount)
        continuityErrors += reception.continuityErrors
        transportErrors += reception.transportErrors
    }
}
