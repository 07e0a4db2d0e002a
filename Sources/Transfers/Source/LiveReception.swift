// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// What a source receives of a stream without an end, if it is one: its server states neither a length nor a version.
///
/// Thread-safety: safe. Bytes come on one thread.
final class LiveReception: Sendable {
    private let make: (@Sendable () -> any StreamIntake)?
    /// `nil` for any other source.
    private let intake = Locked<(any StreamIntake)?>(nil)

    /// - Parameter make: makes what knows the format; `nil` if no source is such a stream.
    init(_ make: (@Sendable () -> any StreamIntake)?) { self.make = make }

    /// A connection has begun to deliver the whole source.
    func begin(_ known: ResourceState) {
        guard known.byteCount == nil, known.tag == nil, let make else { return }
        intake.withLock { intake in
            if intake == nil { intake = make() }
        }
    }

    /// - Returns: the bytes that belong to the stream; `nil` if the source is none.
    func take(_ piece: RawSpan) -> [UInt8]? {
        intake.withLock { intake in
            var bytes: [UInt8] = []
            bytes.append(copying: piece)
            return intake?.take(bytes)
        }
    }

    /// - Returns: the bytes that were held back until now.
    func disconnected() -> [UInt8] { intake.withLock { $0?.disconnected() } ?? [] }

    /// Whether another connection can go on where one ends.
    var canContinue: Bool { intake.withLock { $0?.canContinue } ?? false }

    var reception: StreamReception { intake.withLock { $0?.reception } ?? StreamReception() }
}

extension SourceTraffic {
    /// Adds what is counted of streams that are sent as they happen.
    package mutating func addReception(of other: SourceTraffic) {
        rejoins += other.rejoins
        gaps += other.gaps
        repeatedByteCount += other.repeatedByteCount
        continuityErrors += other.continuityErrors
        transportErrors += other.transportErrors
    }

    mutating func add(_ reception: StreamReception) {
        rejoins += UInt64(reception.joints.count)
        gaps += UInt64(reception.gaps.count)
        repeatedByteCount += UInt64(reception.repeatedByteCount)
        continuityErrors += reception.continuityErrors
        transportErrors += reception.transportErrors
    }
}
