# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the engine as a process, its contract, HLS and MP4 readers, real clients."""
