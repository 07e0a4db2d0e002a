// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lets a test state how fast a machine encodes video, instead of having that measured: `ENGINED_TEST_PIXELS=N` states
/// `N` pixels per second.
///
/// Only in builds with assertions (debug and checked), like `FaultPoint`.
package enum StatedSpeed {
    /// - Parameters:
    ///   - measured: the measured speed, in frames per second.
    ///   - pixels: the number of pixels in a frame.
    /// - Returns: the stated speed; `measured` if none is stated.
    package static func framesPerSecond(_ measured: Double, ofPixels pixels: Int) -> Double {
        var speed = measured
        assert(state(&speed, ofPixels: pixels))
        return speed
    }

    private static func state(_ speed: inout Double, ofPixels pixels: Int) -> Bool {
        guard let text = unsafe getenv("ENGINED_TEST_PIXELS"), let stated = Double(unsafe String(cString: text)) else {
            return true
        }
        speed = stated / Double(max(1, pixels))
        return true
    }
}
