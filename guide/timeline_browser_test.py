# SPDX-License-Identifier: BSD-3-Clause
"""One training step of the worked example, profiled and opened in Chrome's trace viewer: it has the device's rows.

Runs with ASSAY_FULL=1. ASSAY_TRACE_VIEWER names the page of the viewer, as in `ci/full texts`: Chromium on Linux no
longer has the address chrome://tracing."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from reports.render.html import browser

VIEWER = os.environ.get("ASSAY_TRACE_VIEWER")
HAVE_BROWSER = bool(os.environ.get("ASSAY_FULL") and VIEWER and browser.CHROMIUM and browser.DRIVER)
PACKAGE = Path(os.environ["ASSAY_BUILD"]) / "python"

STEP = """
import sys, torch, torch_fakedev
model = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)).to("fakedev")
optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(8, 16)

def step():
    optimizer.zero_grad()
    model(x.to("fakedev")).square().mean().backward()
    optimizer.step()
    torch.accelerator.synchronize()

step()
with torch.profiler.profile() as session:
    step()
session.export_chrome_trace(sys.argv[1])
"""

# What the viewer has read. A row is a thread with slices; an arrow is a flow event with both of its ends.
READ = """
const model = new tr.Model(), rows = {};
new tr.importer.Import(model).importTraces([arguments[0]]);
for (const thread of model.getAllThreads())
    if (thread.sliceGroup.length)
        rows[thread.parent.userFriendlyName + ': ' + thread.userFriendlyName] = thread.sliceGroup.slices.map(s => s.title);
const ends = model.flowEvents.filter(flow => flow.startSlice && flow.endSlice);
return {
    warnings: model.importWarnings.map(warning => warning.message), rows,
    arrows: ends.map(f => [f.startSlice.parentContainer, f.endSlice.parentContainer].map(row => row.parent.userFriendlyName)),
};
"""


@unittest.skipUnless(HAVE_BROWSER, "needs ASSAY_FULL=1, ASSAY_TRACE_VIEWER, chromium and chromedriver")
class Timeline(unittest.TestCase):
    def trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
            subprocess.run([sys.executable, "-c", STEP, path], env=environment, check=True, timeout=120)
            return path.read_text(encoding="utf-8")

    def test_training_step(self):
        trace, opened = self.trace(), browser.Browser()
        self.addCleanup(opened.close)
        opened.open(Path(VIEWER).as_uri())
        opened.until("typeof tr === 'object' && document.readyState === 'complete'")
        read = opened.run(READ, trace)
        # The viewer computes with times of 5e9 ms in a double, so it misses the start of some kernels by a nanosecond.
        self.assertEqual([], [text for text in read["warnings"] if "does not end at an actual slice" not in text])
        device = {name: slices for name, slices in read["rows"].items() if "fakedev" in name}
        host = [slice for name, slices in read["rows"].items() if name not in device for slice in slices]
        self.assertTrue({"aten::linear", "MeanBackward0", "Optimizer.step#SGD.step"} <= set(host), host)
        kernels = [slice for slices in device.values() for slice in slices]
        self.assertTrue({"copy", "fd_kernel_matmul", "fd_kernel_reduce"} <= set(kernels), set(kernels))
        self.assertTrue(any("fakedev" in end and "fakedev" not in start for start, end in read["arrows"]), read["arrows"][:5])


if __name__ == "__main__":
    unittest.main()
