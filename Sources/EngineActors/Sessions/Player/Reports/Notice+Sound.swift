// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Notice {
    /// Audio is played without the change that the load asks for.
    static func untreated(_ text: String) -> Notice { Notice(.warning, "audio.untreated", text) }
}
