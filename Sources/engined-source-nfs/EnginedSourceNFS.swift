// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SourceHelper
internal import SourceWire

/// Reads files on NFS servers for the engine, which starts it with a socket as its standard input (docs/sources.md).
@main
struct EnginedSourceNFS {
    static func main() {
        var server = SourceServer(NFSSource())
        do throws(SourceViolation) {
            try server.run()
        } catch {
            let text = "engined-source-nfs: received \(error). engined starts this program.\n"
            unsafe _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(EXIT_FAILURE)
        }
    }
}
