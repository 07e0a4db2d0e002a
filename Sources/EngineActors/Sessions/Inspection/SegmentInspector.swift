// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Reading

/// Decodes segments on their own, for callers that check whether they are valid.
///
/// Never part of playback. All callers share its one thread.
package actor SegmentInspector {
    private static let largestSegment = 512 << 20

    private let executor = ThreadExecutor(name: "inspect")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    package func inspect(_ bytes: [UInt8]) throws(EngineError) -> SegmentReport {
        guard bytes.count <= Self.largestSegment else {
            throw EngineError(
                .resourceExhausted,
                "a segment of \(bytes.count) bytes exceeds the limit of \(Self.largestSegment)"
            )
        }
        do throws(FFmpegError) {
            return try SegmentDecoding.report(on: bytes, interrupt: InterruptFlag())
        } catch {
            throw EngineError(error, .sourceNotMedia, "the segment cannot be read")
        }
    }
}
