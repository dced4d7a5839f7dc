# SPDX-License-Identifier: MIT
"""Networks in PyTorch: look-up tables on cells, dense layers, residual convolutions."""
