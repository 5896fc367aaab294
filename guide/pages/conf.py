# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings for the guide; make_guide.py runs Sphinx with a copy of this file beside the generated pages."""

project = "assay: a guide to backends of PyTorch"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 2
html_theme = "furo"
html_title = "Backends of PyTorch, step by step"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
exclude_patterns = ["code"]
nitpicky = True
