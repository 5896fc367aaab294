# SPDX-License-Identifier: BSD-3-Clause
"""The base of tests beside the stand-in for GitHub: each has a server and a folder of its own, and runs programs in this process."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from fake_github import Server


class GitHubCase(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(Server())
        self.state, self.address = server.state, server.address

    def file(self, name, value):
        (self.folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return str(self.folder / name)

    def status_of(self, main, words, token="writes", **options):
        """The exit status of `main`; `said` is what it printed."""
        out = io.StringIO()
        with mock.patch.dict(os.environ, {"GITHUB_TOKEN": token}), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(out):
            status = main([*words], **options)
        self.said = out.getvalue()
        return status

    def changes(self):
        return [request for request in self.state.requests if request[0] != "GET"]
