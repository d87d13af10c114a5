# SPDX-License-Identifier: Apache-2.0
"""The parts of tests/vllm/agree: one module for each query of the answers file, and what they share."""
