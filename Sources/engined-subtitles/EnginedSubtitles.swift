// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import DrawingWire
internal import Glibc

/// Draws text subtitles for the engine, which starts one process for each drawing, with a socket as its standard input.
///
/// libass and its font libraries read untrusted scripts and fonts, so they run in a process of their own. It limits its
/// memory, and the engine kills it when a picture takes too long.
@main
struct EnginedSubtitles {
    static func main() {
        limit()
        do throws(DrawingViolation) {
            var server = DrawingServer(on: STDIN_FILENO)
            try server.run()
        } catch {
            let text =
                "engined-subtitles: received a message that is not part of its protocol. engined starts this program.\n"
            unsafe _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(EXIT_FAILURE)
        }
    }

    /// Has the kernel end this process with the engine's thread that started it, even while it draws. Lowers its
    /// priority, and disables core files.
    private static func limit() {
        csystem_end_with_parent()
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
