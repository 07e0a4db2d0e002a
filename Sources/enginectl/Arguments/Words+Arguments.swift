// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// Something that is or is not.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off
}

/// Which chapter to go to.
enum ChapterArgument: String, CaseIterable, ExpressibleByArgument {
    case next, previous
}
