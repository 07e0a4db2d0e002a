# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests: the engine as a process, its contract, HLS and MP4 readers, real clients."""
