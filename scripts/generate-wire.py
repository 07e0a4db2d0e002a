# SPDX-License-Identifier: Apache-2.0
"""Writes the contract's messages as Swift values, and the calls that read and write their fields. Reads a serialised
`FileDescriptorSet` from stdin. The first argument is the folder for the Swift, with one file per proto file. The second is
the folder for the C: a function that returns protobuf-c's descriptor of a message."""

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


def layout_case(path):
    """The Swift name of a case of the enum that `header` writes: `loadRequest` for `ContractMessageLoadRequest`."""
    name = path.rsplit(".", 1)[1]
    found = name[0].lower() + name[1:]
    return f"`{found}`" if found in KEYWORDS else found


def descriptor(path):
    """The name of protobuf-c's descriptor of a message."""
    return "__".join(snake(part).lower() for part in path.lstrip(".").split(".")) + "__descriptor"


class Plain:
    """How one field is declared, read and written. `Choice` declares the fields of a oneof."""

    def __init__(self, field):
        self.field = field
        self.name = camel(field.name)
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
    def accessor(self):
        """The name of the functions that read and write such a field."""
        word = {
            Field.TYPE_BOOL: "flag", Field.TYPE_ENUM: "choice", Field.TYPE_STRING: "text", Field.TYPE_BYTES: "data",
            Field.TYPE_MESSAGE: "message",
        }.get(self.field.type, "number")
        return word + "s" if self.repeated else word

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
        return f"reader.{self.accessor}(at: {self.field.number})"

    def writing(self, value):
        return f"writer.{self.accessor}({value}, at: {self.field.number})"


class Choice:
    """A oneof: an enum with one case for each of its fields."""

    def __init__(self, oneof, fields):
        self.name = camel(oneof.name)
        self.type = self.name[0].upper() + self.name[1:]
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
        word = "if"
        for each in self.fields:
            case = f"{self.type}.{each.name}"
            value = f"{each.reading}.map({case})" if each.field.type == Field.TYPE_MESSAGE else f"{case}({each.reading})"
            yield f"{word} reader.isSet(at: {each.field.number}) {{"
            yield f"    {self.name} = {value}"
            word = "} else if"
        yield "}"

    def writing(self):
        yield f"switch {self.name} {{"
        for each in self.fields:
            yield f"case .{each.name}(let value): {each.writing('value')}"
        yield "case nil: break"
        yield "}"


def enum(out, path, value):
    name = type_name(path)
    shared = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path.rsplit(".", 1)[1]).upper() + "_"
    out += ["extension Proto {", f"    struct {name.removeprefix('Proto.')}: ProtobufEnum {{", "        var rawValue: UInt32", ""]
    for each in value.value:
        out.append(f"        static let {camel(each.name.removeprefix(shared))} = Self(rawValue: {each.number})")
    out += ["    }", "}", ""]


def messages(path, values):
    """The messages with their paths, each before those that are nested in it."""
    for value in values:
        inner = f"{path}.{value.name}"
        yield inner, value
        yield from messages(inner, value.nested_type)


def message(out, path, value):
    name = type_name(path)
    members = []
    for index, oneof in enumerate(value.oneof_decl):
        fields = [field for field in value.field if field.HasField("oneof_index") and field.oneof_index == index]
        members.append(Choice(oneof, fields))
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
    out.append(f"    static var layout: MessageLayout {{ MessageLayout(.{layout_case(path)}) }}")
    out.append("")
    out.append("    init(reading reader: borrowing FieldReader) {")
    out += [f"        {each.name} = {each.reading}" for each in plain]
    for each in members:
        out += ["        " + line for line in each.reading()]
    out.append("    }")
    out.append("")
    out.append("    func write(to writer: inout FieldWriter) {")
    out += [f"        {each.writing(each.name)}" for each in plain]
    for each in members:
        out += ["        " + line for line in each.writing()]
    out.append("    }")
    out.append("}")
    out.append("")
    if {"session_id", "if_revision", "request_id"} <= {field.name for field in value.field}:
        out += [f"extension {name}: CommandMessage {{}}", ""]
    for nested in value.enum_type:
        enum(out, f"{path}.{nested.name}", nested)


def header(paths):
    yield "/* Generated by scripts/generate-proto. DO NOT EDIT! */"
    yield "#pragma once"
    yield "#include <protobuf-c/protobuf-c.h>"
    yield "/* The messages of the contract. */"
    yield "typedef enum __attribute__((enum_extensibility(closed))) ContractMessage {"
    for path in paths:
        yield f"    ContractMessage{path.rsplit('.', 1)[1]},"
    yield "} ContractMessage;"
    yield "/* The descriptor of a message, which lives as long as the process. NULL if there is no such message. */"
    yield "const ProtobufCMessageDescriptor *cengineproto_descriptor(ContractMessage message);"


def table(names, paths):
    yield "/* Generated by scripts/generate-proto. DO NOT EDIT! */"
    yield '#include "contract.h"'
    for name in names:
        yield f'#include "{name.removesuffix(".proto")}.pb-c.h"'
    yield "static const ProtobufCMessageDescriptor *const descriptors[] = {"
    for path in paths:
        yield f"    [ContractMessage{path.rsplit('.', 1)[1]}] = &{descriptor(path)},"
    yield "};"
    yield "const ProtobufCMessageDescriptor *cengineproto_descriptor(ContractMessage message) {"
    yield "    return (size_t)message < sizeof descriptors / sizeof *descriptors ? descriptors[message] : NULL;"
    yield "}"


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    swift, c = (pathlib.Path(each) for each in sys.argv[1:])
    files = descriptor_pb2.FileDescriptorSet.FromString(sys.stdin.buffer.read()).file
    files = [file for file in files if file.package not in SKIPPED]
    paths = []
    for file in files:
        package = f".{file.package}"
        out = [f"// Generated from {file.name} by scripts/generate-proto. DO NOT EDIT!", "", "internal import CEngineProto", ""]
        for value in file.enum_type:
            enum(out, f"{package}.{value.name}", value)
        for path, value in messages(package, file.message_type):
            message(out, path, value)
            paths.append(path)
        write(swift / f"{pathlib.PurePath(file.name).stem}.pb.swift", out[:-1])
    write(c / "include" / "contract.h", header(paths))
    write(c / "contract.c", table([file.name for file in files], paths))


main()
