// SPDX-License-Identifier: Apache-2.0

internal import Wire

/// The messages, enums and methods of the contract, read from the descriptor set that is built in (descriptor.proto).
struct Contract: Sendable {
    struct Field: Sendable {
        let number: UInt64
        let name: String
        let kind: Kind
        let isRepeated: Bool
        /// The name of the oneof that contains the field; `nil` if none does.
        let group: String?
    }

    enum Kind: Hashable, Sendable {
        case double, float, int32, int64, sint32, uint32, uint64, bool, string, bytes
        case message(String)
        case choice(String)
    }

    struct Choice: Sendable {
        let name: String
        /// In lower case, without the name of the enum: `play` for `AFTER_SEEK_PLAY`.
        let word: String
        let number: UInt64
    }

    struct Method: Sendable {
        let name: String
        let input: String
        let output: String
        let takesStream: Bool
        let answersStream: Bool
    }

    private(set) var messages: [String: [Field]] = [:]
    private(set) var choices: [String: [Choice]] = [:]
    /// The methods of `engine.v1.Engine`, in the order of the contract.
    private(set) var methods: [Method] = []

    static let builtIn = Contract(builtInDescriptorSet())

    init(_ descriptorSet: [UInt8]) {
        for file in Node(descriptorSet).nodes(1) {
            let package = file.text(2) ?? ""
            for message in file.nodes(4) { add(message: message, in: package) }
            for choice in file.nodes(5) { add(choice: choice, in: package) }
            for service in file.nodes(6) where package == "engine.v1" && service.text(1) == "Engine" {
                methods += service.nodes(2).map(Self.method)
            }
        }
    }

    /// DescriptorProto: name 1, field 2, nested_type 3, enum_type 4, oneof_decl 8.
    private mutating func add(message: Node, in scope: String) {
        let name = "\(scope).\(message.text(1) ?? "")"
        let groups = message.nodes(8).map { $0.text(1) ?? "" }
        messages[name] = message.nodes(2).compactMap { Self.field($0, groups) }
        for nested in message.nodes(3) { add(message: nested, in: name) }
        for choice in message.nodes(4) { add(choice: choice, in: name) }
    }

    /// EnumDescriptorProto: name 1, value 2; EnumValueDescriptorProto: name 1, number 2.
    private mutating func add(choice: Node, in scope: String) {
        let name = choice.text(1) ?? ""
        choices["\(scope).\(name)"] = choice.nodes(2).map { value in
            let full = value.text(1) ?? ""
            let prefix = Self.upperSnake(name) + "_"
            let word = full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full
            return Choice(name: full, word: word.lowercased(), number: value.number(2) ?? 0)
        }
    }

    /// FieldDescriptorProto: name 1, number 3, label 4 (repeated: 3), type 5, type_name 6, oneof_index 9.
    private static func field(_ node: Node, _ groups: [String]) -> Field? {
        guard let name = node.text(1), let number = node.number(3) else { return nil }
        let type = node.text(6).map { String($0.dropFirst()) } ?? ""
        let kind: Kind? =
            switch node.number(5) {
            case 1: .double
            case 2: .float
            case 3: .int64
            case 4: .uint64
            case 5: .int32
            case 8: .bool
            case 9: .string
            case 11: .message(type)
            case 12: .bytes
            case 13: .uint32
            case 14: .choice(type)
            case 17: .sint32
            // The contract has no other type.
            default: nil
            }
        let group = node.number(9).flatMap { Int($0) < groups.count ? groups[Int($0)] : nil }
        return kind.map { Field(number: number, name: name, kind: $0, isRepeated: node.number(4) == 3, group: group) }
    }

    /// MethodDescriptorProto: name 1, input_type 2, output_type 3, client_streaming 5, server_streaming 6.
    private static func method(_ node: Node) -> Method {
        Method(
            name: node.text(1) ?? "",
            input: String((node.text(2) ?? "").dropFirst()),
            output: String((node.text(3) ?? "").dropFirst()),
            takesStream: node.number(5) == 1,
            answersStream: node.number(6) == 1
        )
    }

    /// `AFTER_SEEK` for `AfterSeek`.
    private static func upperSnake(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase, !result.isEmpty { result += "_" }
            result += character.uppercased()
        }
        return result
    }
}

/// The fields of a serialised message.
struct Node {
    private let bytes: [UInt8]
    private let fields: [WireReader.Field]

    init(_ bytes: [UInt8]) {
        var reader = WireReader(count: bytes.count)
        var fields: [WireReader.Field] = []
        while !reader.isAtEnd, let field = reader.next(in: bytes.span) { fields.append(field) }
        self.bytes = bytes
        self.fields = fields
    }

    /// All fields, in the order of the message.
    var all: [WireReader.Field] { fields }

    func bytes(of field: WireReader.Field) -> [UInt8] { field.payload.map { Array(bytes[$0]) } ?? [] }

    func nodes(_ number: UInt64) -> [Node] {
        fields.filter { $0.number == number && $0.payload != nil }.map { Node(bytes(of: $0)) }
    }

    func text(_ number: UInt64) -> String? {
        fields.last { $0.number == number && $0.payload != nil }.map { String(decoding: bytes(of: $0), as: UTF8.self) }
    }

    func number(_ number: UInt64) -> UInt64? { fields.last { $0.number == number }?.value }
}
