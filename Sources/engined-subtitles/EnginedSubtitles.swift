// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import DrawingWire
internal import Glibc

/// Draws text subtitles for the engine, which starts it with a socket as its standard input, one process a drawing.
///
/// A process of its own, because libass and the font libraries below it read scripts and fonts that anybody may have made:
/// the engine limits its memory, and ends it when a picture takes too long.
@main
struct EnginedSubtitles {
    static func main() {
        limit()
        do throws(DrawingViolation) {
            var server = DrawingServer(on: STDIN_FILENO)
            try server.run()
        } catch {
            let text =
                "engined-subtitles: received a message that is none of its protocol. engined starts this program.\n"
            unsafe _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(EXIT_FAILURE)
        }
    }

    /// Ends with the engine's thread that started it, even while it draws; is in nobody's way; needs no core file.
    private static func limit() {
        csystem_end_with_parent()
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
