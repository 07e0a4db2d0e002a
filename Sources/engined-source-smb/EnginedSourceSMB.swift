// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SourceHelper
internal import SourceWire

/// Reads files on SMB shares for the engine, which starts it with a socket as its standard input (docs/sources.md).
@main
struct EnginedSourceSMB {
    static func main() {
        var server = SourceServer(SMBSource())
        do throws(SourceViolation) {
            try server.run()
        } catch {
            let text = "engined-source-smb: received \(error). engined starts this program.\n"
            unsafe _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(EXIT_FAILURE)
        }
    }
}
