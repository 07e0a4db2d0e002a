# SPDX-License-Identifier: Apache-2.0
"""Prints the Swift values of the contract's messages, and their mapping to the structs of protobuf-c. Reads a serialised
`FileDescriptorSet` from stdin, and writes one file of Swift per proto file into the folder that the argument names."""

import pathlib
import re
import sys

from google.protobuf import descriptor_pb2

Field = descriptor_pb2.FieldDescriptorProto
# The two versions of reflection are the same on the wire.
SKIPPED = {"grpc.reflection.v1alpha"}
SCALARS = {
    Field.TYPE_INT32: "Int32", Field.TYPE_SINT32: "Int32", Field.TYPE_INT64: "Int64", Field.TYPE_UINT32: "UInt32",
    Field.TYPE_UINT64: "UInt64", Field.TYPE_DOUBLE: "Double",
}
UNITS = {"us": "Microseconds", "ns": "Nanoseconds", "id": "ID", "ids": "IDs", "url": "URL", "ass": "ASS", "svg": "SVG"}
KEYWORDS = {"protocol", "internal", "default", "case", "in", "is", "self", "repeat", "extension", "operator"}


def camel(name):
    """`start_position_us` as `startPositionMicroseconds`."""
    first, *rest = name.lower().split("_")
    found = first + "".join(UNITS.get(part, part.capitalize()) for part in rest)
    return f"`{found}`" if found in KEYWORDS else found


def snake(name):
    """The words of a type's name, joined as protobuf-c joins them in the names of functions and constants."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def type_name(path):
    return "Proto." + path.rsplit(".", 1)[1]


def c_type(path):
    return "__".join(part[0].upper() + part[1:] for part in path.lstrip(".").split("."))


def c_words(path):
    return "__".join(snake(part) for part in path.lstrip(".").split("."))


class Plain:
    """How one field that is not in a oneof is declared, read and written."""

    def __init__(self, field):
        self.field = field
        self.name = camel(field.name)
        self.c = f"c.pointee.{field.name}"
        self.n = f"c.pointee.n_{field.name}"
        self.repeated = field.label == Field.LABEL_REPEATED

    @property
    def element(self):
        kind = self.field.type
        if kind in SCALARS:
            return SCALARS[kind]
        return {
            Field.TYPE_BOOL: "Bool", Field.TYPE_STRING: "String", Field.TYPE_BYTES: "[UInt8]",
        }.get(kind) or type_name(self.field.type_name)

    @property
    def word(self):
        """The word for the field's type in the names of the runtime functions that read and write it."""
        return {
            Field.TYPE_STRING: "Text", Field.TYPE_BYTES: "Data", Field.TYPE_MESSAGE: "Message", Field.TYPE_ENUM: "Choice",
        }.get(self.field.type, "Number")

    @property
    def declaration(self):
        if self.repeated:
            return f"var {self.name}: [{self.element}] = []"
        kind = self.field.type
        if kind == Field.TYPE_MESSAGE:
            return f"var {self.name}: {self.element}?"
        start = {
            Field.TYPE_BOOL: "false", Field.TYPE_STRING: '""', Field.TYPE_BYTES: "[]",
            Field.TYPE_ENUM: f"{self.element}(rawValue: 0)",
        }.get(kind, "0")
        return f"var {self.name}: {self.element} = {start}"

    @property
    def reading(self):
        kind = self.field.type
        if self.repeated:
            return f"unsafe read{self.word}s({self.c}, {self.n})"
        if kind == Field.TYPE_BOOL:
            return f"unsafe {self.c} != 0"
        if kind in SCALARS:
            return f"unsafe {self.c}"
        if kind == Field.TYPE_ENUM:
            return f"unsafe {self.element}(rawValue: {self.c}.rawValue)"
        return f"unsafe read{self.word}({self.c})"

    def writing(self, value):
        kind = self.field.type
        if self.repeated:
            return [f"unsafe {self.n} = {value}.count", f"unsafe {self.c} = arena.{self.word.lower()}s({value})"]
        if kind == Field.TYPE_BOOL:
            return [f"unsafe {self.c} = {value} ? 1 : 0"]
        if kind in SCALARS:
            return [f"unsafe {self.c} = {value}"]
        if kind == Field.TYPE_ENUM:
            return [f"unsafe {self.c}.rawValue = {value}.rawValue"]
        return [f"unsafe {self.c} = arena.{self.word.lower()}({value})"]


class Choice:
    """A oneof: an enum with one case for each of its fields."""

    def __init__(self, path, oneof, fields):
        self.field_name = oneof.name
        self.name = camel(oneof.name)
        self.type = self.name[0].upper() + self.name[1:]
        self.c = f"c.pointee.{oneof.name}_case"
        self.prefix = c_words(path).upper() + "__" + oneof.name.upper()
        self.fields = [Plain(field) for field in fields]

    @property
    def declaration(self):
        return f"var {self.name}: {self.type}?"

    def cases(self):
        indirect = "indirect " if any(each.field.type == Field.TYPE_MESSAGE for each in self.fields) else ""
        yield f"{indirect}enum {self.type}: Equatable, Sendable {{"
        for each in self.fields:
            yield f"    case {each.name}({each.element})"
        yield "}"

    def reading(self):
        yield f"switch unsafe {self.c} {{"
        for each in self.fields:
            yield f"case {self.prefix}_{each.field.name.upper()}:"
            if each.field.type == Field.TYPE_MESSAGE:
                yield f"    {self.name} = {each.reading}.map({self.type}.{each.name})"
            else:
                yield f"    {self.name} = .{each.name}({each.reading})"
        yield "default: break"
        yield "}"

    def writing(self):
        yield f"switch {self.name} {{"
        for each in self.fields:
            yield f"case .{each.name}(let value):"
            yield f"    unsafe {self.c} = {self.prefix}_{each.field.name.upper()}"
            for line in each.writing("value"):
                yield "    " + line
        yield "case nil: break"
        yield "}"


def enum(out, path, value):
    name, kind = type_name(path), c_type(path)
    shared = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path.rsplit(".", 1)[1]).upper() + "_"
    out += ["extension Proto {", f"    struct {name.removeprefix('Proto.')}: ProtobufEnum {{", "        var rawValue: UInt32", ""]
    for each in value.value:
        out.append(f"        static let {camel(each.name.removeprefix(shared))} = Self(rawValue: {each.number})")
    out += ["    }", "}", "", f"extension {kind}: ProtobufCEnum {{}}", ""]


def message(out, path, value):
    name, kind = type_name(path), c_type(path)
    members = []
    for index, oneof in enumerate(value.oneof_decl):
        fields = [field for field in value.field if field.HasField("oneof_index") and field.oneof_index == index]
        members.append(Choice(path, oneof, fields))
    plain = [Plain(field) for field in value.field if not field.HasField("oneof_index")]
    out.append("extension Proto {")
    out.append(f"    struct {name.removeprefix('Proto.')}: Equatable, Sendable {{")
    for each in members:
        out += ["        " + line for line in each.cases()] + [""]
    out += ["        " + each.declaration for each in plain + members]
    out.append("    }")
    out.append("}")
    out.append("")
    out.append(f"extension {name}: ProtobufMessage {{")
    out.append(f"    static var size: Int {{ unsafe MemoryLayout<{kind}>.size }}")
    out.append("")
    out.append("    static func initialize(_ pointer: UnsafeMutableRawPointer) {")
    out.append(f"        unsafe {c_words(path).lower()}__init(pointer.assumingMemoryBound(to: {kind}.self))")
    out.append("    }")
    out.append("")
    out.append("    init(reading pointer: UnsafeRawPointer) {")
    if value.field:
        out.append(f"        let c = unsafe pointer.assumingMemoryBound(to: {kind}.self)")
    out += [f"        {each.name} = {each.reading}" for each in plain]
    for each in members:
        out += ["        " + line for line in each.reading()]
    out.append("    }")
    out.append("")
    out.append("    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {")
    if value.field:
        out.append(f"        let c = unsafe pointer.assumingMemoryBound(to: {kind}.self)")
    for each in plain:
        out += ["        " + line for line in each.writing(each.name)]
    for each in members:
        out += ["        " + line for line in each.writing()]
    out.append("    }")
    out.append("}")
    out.append("")
    if {"session_id", "if_revision", "request_id"} <= {field.name for field in value.field}:
        out += [f"extension {name}: CommandMessage {{}}", ""]
    for nested in value.enum_type:
        enum(out, f"{path}.{nested.name}", nested)
    for nested in value.nested_type:
        message(out, f"{path}.{nested.name}", nested)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in descriptor_pb2.FileDescriptorSet.FromString(sys.stdin.buffer.read()).file:
        if file.package in SKIPPED:
            continue
        out = [
            f"// Generated from {file.name} by scripts/generate-proto. DO NOT EDIT!",
            "", "internal import CEngineProto", "",
        ]
        for value in file.enum_type:
            enum(out, f".{file.package}.{value.name}", value)
        for value in file.message_type:
            message(out, f".{file.package}.{value.name}", value)
        stem = pathlib.PurePath(file.name).stem
        (folder / f"{stem}.pb.swift").write_text("\n".join(out), encoding="utf-8")


main()
