// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Finding a cue's block in its cluster")
struct MatroskaClusterTests {
    private func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let size = [16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: content.count >> shift) }
        return id + [0x10 | UInt8(content.count >> 24)] + size + content
    }

    private func block(_ time: UInt8, key: Bool) -> [UInt8] { [0x81, 0, time, key ? 0x80 : 0, 0xAA, 0xBB] }

    private func keyframes(_ bytes: [UInt8], at time: Int64) -> [MatroskaCluster.Block] {
        MatroskaCluster.keyframes(at: time, clusterAt: 0) { offset, count in
            guard offset >= 0, offset < bytes.count else { return [] }
            return Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
        }
    }

    private var cluster: [UInt8] {
        let group = element([0xA0], element([0xA1], block(30, key: false)))
        let referring = element([0xA0], element([0xA1], block(40, key: false)) + element([0xFB], [1]))
        return element(
            [0x1F, 0x43, 0xB6, 0x75],
            element([0xE7], [0x03, 0xE8]) + element([0xA3], block(0, key: true))
                + element([0xA3], block(20, key: false))
                + group + referring
        )
    }

    @Test("finds keyframe blocks, simple or in a group, only at their time")
    func find() {
        #expect(keyframes(cluster, at: 1000).count == 1)
        #expect(keyframes(cluster, at: 1030).count == 1)
        #expect(keyframes(cluster, at: 1020).isEmpty, "not marked as a keyframe")
        #expect(keyframes(cluster, at: 1040).isEmpty, "refers to another block")
        #expect(keyframes(cluster, at: 999).isEmpty)
    }

    @Test("survives arbitrary bytes")
    func garbage() {
        let whole = cluster
        for length in whole.indices { _ = keyframes(Array(whole[..<length]), at: 1030) }
        var generator = SplitMix(state: 2)
        for _ in 0..<3000 {
            var mutated = whole
            for _ in 0..<4 {
                mutated[Int.random(in: mutated.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = keyframes(mutated, at: 1030)
        }
    }
}
