# SPDX-License-Identifier: BSD-3-Clause
"""Loading the backend must not import the compiler, which takes seconds."""

from assay.checks import Case

LOADED = """
import sys
answer = [name for name in ("torch._dynamo", "torch._inductor") if name in sys.modules]
"""


class CompileImports(Case):
    def test_imports(self):
        """compile.loading_the_backend_imports_no_compiler"""
        seen = self.fresh(LOADED, "a new process loads the backend")
        self.expect_equal(seen, [], "loading the backend imports neither torch._dynamo nor torch._inductor")
