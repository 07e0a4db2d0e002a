// SPDX-License-Identifier: Apache-2.0

/// The secrets in a command line, which other users can read while the command runs (`ps`). Pure.
enum SecretArguments {
    /// The options whose values are secrets, or have a secret after a colon.
    private static let options = ["--user", "--header", "--bearer-token", "--client-key-passphrase"]
    /// Those whose values have a secret after a colon.
    private static let named = ["--user", "--header"]

    /// The bytes of each argument that hold a secret: the passwords and the queries of URLs, and the values of options.
    /// `nil` for an argument without a secret.
    ///
    /// - Parameter arguments: without the name of the program.
    static func secrets(in arguments: [[UInt8]]) -> [Range<Int>?] {
        var found: [Range<Int>?] = []
        var option: String?
        for argument in arguments {
            if let option {
                found.append(secret(in: argument, from: 0, of: option))
            } else if let option = options.first(where: { argument.starts(with: "\($0)=".utf8) }) {
                found.append(secret(in: argument, from: option.utf8.count + 1, of: option))
            } else {
                found.append(secretOfURL(in: argument))
            }
            option = options.first { argument.elementsEqual($0.utf8) }
        }
        return found
    }

    private static func secret(in argument: [UInt8], from start: Int, of option: String) -> Range<Int>? {
        let value = argument[start...]
        // `@FILE` names a file, which is not a secret. `--header` does not have this form.
        guard value.first != UInt8(ascii: "@") || option == "--header" else { return nil }
        guard named.contains(option) else { return value.indices }
        guard let colon = value.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return colon + 1..<value.endIndex
    }

    /// The password of a URL, or its query, which may be a signature. If it has both, all from the password on.
    private static func secretOfURL(in argument: [UInt8]) -> Range<Int>? {
        let password = password(in: argument)
        guard let start = password?.upperBound ?? argument.firstRange(of: "://".utf8)?.upperBound,
            let mark = argument[start...].firstIndex(of: UInt8(ascii: "?")), mark + 1 < argument.endIndex
        else { return password }
        return (password?.lowerBound ?? mark + 1)..<argument.endIndex
    }

    /// The password of a URL, which may be the value of an option: everything between the first colon after `://` and the last `@`
    /// before the path. If there is no `@` before the path, but the text there cannot be a host and port, the password contains an
    /// unescaped slash and ends at the last `@` of the argument.
    private static func password(in argument: [UInt8]) -> Range<Int>? {
        guard let start = argument.firstRange(of: "://".utf8)?.upperBound,
            let at = argument[start...].lastIndex(of: UInt8(ascii: "@")),
            let colon = argument[start..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let authority = argument[start...].prefix { !"/?#".utf8.contains($0) }
        if let end = authority.lastIndex(of: UInt8(ascii: "@")) { return colon < end ? colon + 1..<end : nil }
        // What precedes the path is a host and a port; the `@` belongs to the path.
        let port = argument[(colon + 1)...].prefix { !"/?#".utf8.contains($0) }
        if authority.first == UInt8(ascii: "[") || port.allSatisfy({ (0x30...0x39).contains($0) }) { return nil }
        return colon < authority.endIndex ? colon + 1..<at : nil
    }
}
