// SPDX-License-Identifier: Apache-2.0

internal import Wire

/// The protobuf contract as reflection serves it: each file's descriptor, its imports and the symbols it defines.
///
/// Parsed from the built-in serialised `google.protobuf.FileDescriptorSet` (descriptor.proto).
struct DescriptorSet: Sendable {
    struct File: Sendable {
        let bytes: [UInt8]
        var name = ""
        var imports: [String] = []
        var services: [String] = []
        var symbols: Set<String> = []
    }

    private(set) var files: [File] = []

    init(_ bytes: [UInt8]) {
        for case (1, let file) in Self.fields(bytes) { files.append(Self.file(file)) }
    }

    static let builtIn = DescriptorSet(builtInDescriptorSet())

    var services: [String] { files.flatMap(\.services).sorted() }

    func file(named name: String) -> File? { files.first { $0.name == name } }

    /// - Parameter symbol: fully qualified, with or without a leading dot.
    func file(defining symbol: String) -> File? {
        let name = symbol.first == "." ? String(symbol.dropFirst()) : symbol
        return files.first { $0.symbols.contains(name) }
    }

    /// The file, followed by all its direct and indirect imports, each once.
    func closure(of file: File) -> [[UInt8]] {
        var names: [String] = [file.name]
        var index = 0
        while index < names.count {
            for name in self.file(named: names[index])?.imports ?? [] where !names.contains(name) { names.append(name) }
            index += 1
        }
        return names.compactMap { self.file(named: $0)?.bytes }
    }

    /// FileDescriptorProto: name 1, package 2, dependency 3, message_type 4, enum_type 5, service 6, extension 7.
    private static func file(_ bytes: [UInt8]) -> File {
        var file = File(bytes: bytes)
        let fields = fields(bytes)
        let package = fields.first { $0.number == 2 }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        for (number, bytes) in fields {
            switch number {
            case 1: file.name = String(decoding: bytes, as: UTF8.self)
            case 3: file.imports.append(String(decoding: bytes, as: UTF8.self))
            case 4: addMessage(bytes, scope: package, to: &file.symbols)
            case 5: addNamed(bytes, scope: package, members: 2, areSiblings: true, to: &file.symbols)
            case 6:
                let service = addNamed(bytes, scope: package, members: 2, areSiblings: false, to: &file.symbols)
                file.services.append(service)
            default: break
            }
        }
        return file
    }

    /// DescriptorProto: name 1, field 2, nested_type 3, enum_type 4, oneof_decl 8.
    private static func addMessage(_ bytes: [UInt8], scope: String, to symbols: inout Set<String>) {
        let name = addNamed(bytes, scope: scope, members: 2, areSiblings: false, to: &symbols)
        for (number, nested) in fields(bytes) {
            switch number {
            case 3: addMessage(nested, scope: name, to: &symbols)
            case 4: addNamed(nested, scope: name, members: 2, areSiblings: true, to: &symbols)
            default: break
            }
        }
    }

    /// Adds a symbol with its name in field 1 and its members in field `members`. Enum values are siblings of their
    /// enum.
    @discardableResult
    private static func addNamed(
        _ bytes: [UInt8],
        scope: String,
        members: UInt64,
        areSiblings: Bool,
        to symbols: inout Set<String>
    ) -> String {
        let name = join(scope, bytes)
        symbols.insert(name)
        for (number, member) in fields(bytes) where number == members {
            symbols.insert(join(areSiblings ? scope : name, member))
        }
        return name
    }

    private static func join(_ scope: String, _ bytes: [UInt8]) -> String {
        let name = fields(bytes).first { $0.number == 1 }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return scope.isEmpty ? name : "\(scope).\(name)"
    }

    /// The length-delimited fields of a message, in order.
    private static func fields(_ bytes: [UInt8]) -> [(number: UInt64, bytes: [UInt8])] {
        var reader = WireReader(count: bytes.count)
        var fields: [(number: UInt64, bytes: [UInt8])] = []
        while !reader.isAtEnd, let field = reader.next(in: bytes.span) {
            if let payload = field.payload { fields.append((field.number, Array(bytes[payload]))) }
        }
        return fields
    }
}
