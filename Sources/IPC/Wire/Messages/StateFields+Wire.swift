// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension StateFields {
    /// A group's number in the contract is the position of its bit.
    private static let numbers = 1...18

    var wireNumbers: [Proto.StateField] {
        Self.numbers.filter { rawValue >> $0 & 1 == 1 }.map { Proto.StateField(rawValue: UInt32($0)) }
    }

    /// The groups that this build knows. A newer engine may send others, which an older client does not need.
    init(known fields: [Proto.StateField]) {
        self = []
        for field in fields where Self.numbers.contains(Int(field.rawValue)) {
            insert(StateFields(rawValue: 1 << field.rawValue))
        }
    }

    /// - Throws: `invalidArgument` for a number that is not in the contract.
    init(wire fields: [Proto.StateField]) throws(EngineError) {
        self = []
        for field in fields {
            let number = Int(field.rawValue)
            guard Self.numbers.contains(number) else {
                throw .invalid("fields", "contains \(number), which is not a StateField")
            }
            insert(StateFields(rawValue: 1 << UInt32(number)))
        }
    }
}
