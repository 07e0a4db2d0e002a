// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Wire

@Suite("Generated messages against Google's implementation")
struct ContractTests {
    @Test("every field of a message is read and written", arguments: ContractSamples.all.indices)
    func everyField(index: Int) throws {
        let (name, type, hex) = ContractSamples.all[index]
        let digits = Array(hex.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        #expect(try type.init(bytes).packed() == bytes, "\(name)")
    }

    @Test("a message without content has no bytes", arguments: ContractSamples.all.indices)
    func empty(index: Int) throws {
        let (name, type, _) = ContractSamples.all[index]
        #expect(try type.init([]).packed().isEmpty, "\(name)")
    }
}
