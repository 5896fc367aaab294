#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long the pages of a dashboard take to open from disk in Chromium: the largest of each sort, best of three, from the call
to the end of the load event. The goal is 2 s.

    make_year.py year.jsonl && assay history import year.jsonl --db year.db && assay dashboard build --db year.db --out site
    site_bench.py site"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "reports" / "render" / "html"))
import browser  # noqa: E402

TIMES = 3
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def largest(site):
    """{sort: the page with most to load}: its HTML, and the data beside it that it loads."""
    sorts = {path.stem: path for path in site.glob("*.html")}
    for folder in filter(Path.is_dir, site.iterdir()):
        pages = list(folder.glob("*.html"))
        if pages:
            sorts[folder.name] = max(pages, key=weight)
    return sorts


def weight(page):
    data = page.with_suffix(".js")
    return page.stat().st_size + (data.stat().st_size if data.exists() else 0)


def seconds(page):
    opened = browser.Browser()  # nothing of it was seen before
    try:
        opened.open(page.as_uri())
        return opened.until(LOADED) / 1000
    finally:
        opened.close()


def main():
    site = Path(sys.argv[1])
    print(f"{'page':<40}{'kB':>6}{'best s':>8}{'worst s':>8}")
    for page in largest(site).values():
        took = sorted(seconds(page) for _ in range(TIMES))
        print(f"{page.relative_to(site)!s:<40}{weight(page) / 1000:>6.0f}{took[0]:>8.2f}{took[-1]:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
