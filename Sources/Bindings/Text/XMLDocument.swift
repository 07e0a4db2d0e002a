// SPDX-License-Identifier: Apache-2.0

internal import CXML2
package import EngineModel

/// Reads XML with libxml2's `xmlTextReader`. Loads nothing but the given bytes, and refuses declarations of entities
/// and attributes, so that a small document cannot become a large one.
package enum XMLDocument {
    /// The reason why a document is refused, and the line at which reading ended.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// The message is libxml2's.
        case malformed(line: Int, message: String)
        case declarations(line: Int)
        /// It is empty, or has more bytes than libxml2 can count.
        case size(Int)

        package var description: String {
            switch self {
            case .malformed(let line, let message): "it is not well-formed XML (line \(line): \(message))"
            case .declarations(let line): "it declares entities or attributes, which is not supported (line \(line))"
            case .size(0): "it is empty"
            case .size(let count): "it has \(count) bytes, which is too many for XML"
            }
        }
    }

    /// One thread must call `xmlInitParser` before the first reader is made.
    private static let isReady: Bool = {
        xmlInitParser()
        return true
    }()

    /// Calls `visit` with each part of the document, in order.
    ///
    /// - Parameter isUTF8: whether the bytes are UTF-8 whatever the document declares.
    /// - Throws: if the document is not well-formed or declares entities or attributes. `visit` has then been called
    ///   for the parts before the fault.
    package static func read(
        _ bytes: [UInt8],
        isUTF8: Bool = false,
        _ visit: (XMLEvent) -> Void
    ) throws(Failure) {
        precondition(isReady)
        var failure: Failure?
        unsafe bytes.withUnsafeBytes { buffer in unsafe failure = read(buffer, isUTF8: isUTF8, visit) }
        if let failure { throw failure }
    }

    private static func read(
        _ buffer: UnsafeRawBufferPointer,
        isUTF8: Bool,
        _ visit: (XMLEvent) -> Void
    ) -> Failure? {
        var options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        if isUTF8 { options |= XML_PARSE_IGNORE_ENC.rawValue }
        let encoding = isUTF8 ? "UTF-8" : nil
        // libxml2 keeps the last error of each thread, which may be from an earlier document.
        xmlResetLastError()
        let size = buffer.count
        guard let count = Int32(exactly: size),
            let reader = unsafe xmlReaderForMemory(buffer.baseAddress, count, nil, encoding, Int32(options))
        else { return .size(size) }
        defer { unsafe xmlFreeTextReader(reader) }
        while true {
            switch unsafe xmlTextReaderRead(reader) {
            case 1:
                if unsafe xmlTextReaderNodeType(reader) == Int32(bitPattern: XML_READER_TYPE_DOCUMENT_TYPE.rawValue),
                    unsafe xmlTextReaderCurrentNode(reader)?.pointee.children != nil
                {
                    return .declarations(line: Int(unsafe xmlTextReaderGetParserLineNumber(reader)))
                }
                unsafe report(reader, to: visit)
            case 0: return nil
            default:
                let text = unsafe xmlGetLastError().flatMap { unsafe $0.pointee.message }.map {
                    unsafe String(cString: $0)
                }
                return .malformed(
                    line: Int(unsafe xmlTextReaderGetParserLineNumber(reader)),
                    message: text?.split(separator: "\n").first.map(String.init) ?? "libxml2 gives no reason"
                )
            }
        }
    }

    private static func report(_ reader: xmlTextReaderPtr, to visit: (XMLEvent) -> Void) {
        switch UInt32(bitPattern: unsafe xmlTextReaderNodeType(reader)) {
        case XML_READER_TYPE_ELEMENT.rawValue:
            let isEmpty = unsafe xmlTextReaderIsEmptyElement(reader) == 1
            let name = unsafe string(xmlTextReaderConstLocalName(reader))
            var attributes: [String: String] = [:]
            while unsafe xmlTextReaderMoveToNextAttribute(reader) == 1 {
                if unsafe xmlTextReaderIsNamespaceDecl(reader) == 1 { continue }
                let name = unsafe string(xmlTextReaderConstLocalName(reader))
                attributes[name] = unsafe string(xmlTextReaderConstValue(reader))
            }
            visit(.start(name, attributes: attributes))
            if isEmpty { visit(.end) }
        case XML_READER_TYPE_END_ELEMENT.rawValue: visit(.end)
        case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
            XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue,
            XML_READER_TYPE_WHITESPACE.rawValue:
            visit(.text(unsafe string(xmlTextReaderConstValue(reader))))
        default: break
        }
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String {
        unsafe text.map { unsafe String(decodingCString: $0, as: UTF8.self) } ?? ""
    }
}
