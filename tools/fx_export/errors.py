# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error of the exporter."""


class NotExpressible(Exception):
    """Rows have no form for something in the model; the message says for what, and what to do."""
