// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// On or off.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off
}

/// The chapter to skip to.
enum ChapterArgument: String, CaseIterable, ExpressibleByArgument {
    case next, previous
}
