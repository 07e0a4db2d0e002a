// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension StateFields {
    /// A group's number in the contract is the position of its bit.
    private static let numbers = 1...16

    var wireNumbers: [Engine__V1__StateField] {
        Self.numbers.filter { rawValue >> $0 & 1 == 1 }.map { Engine__V1__StateField(rawValue: UInt32($0)) }
    }

    /// - Throws: `invalidArgument` for a number that is not in the contract.
    init(wire numbers: UnsafeMutablePointer<Engine__V1__StateField>?, count: Int) throws(EngineError) {
        self = []
        guard let numbers = unsafe numbers else { return }
        for index in 0..<count {
            let number = Int(unsafe numbers[index].rawValue)
            guard Self.numbers.contains(number) else {
                throw .invalid("fields", "contains \(number), which is not a StateField")
            }
            insert(StateFields(rawValue: 1 << UInt32(number)))
        }
    }
}
