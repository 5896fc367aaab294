# SPDX-License-Identifier: BSD-3-Clause
"""Lists one check for each family of models in an installed library: libraries.<library>.<family>.

Argument: names of libraries, separated by commas. This program imports and creates no model. If a model cannot be
made small, its check reports the reason.
"""


from assay.host import listing
from suites.libraries import library_table

COVERS = ["LIBR-001", "LIBR-002", "LIBR-003"]
SECONDS = 300


def list_checks(arguments, _steps):
    for library in arguments[0].split(","):
        try:
            names = library_table.names(library)
        except library_table.Absent as absent:
            raise listing.Refusal(f"--library: {absent}") from absent
        version = library_table.version(library)
        for family, model in sorted(names.items()):
            yield {
                "id": library_table.identity(library, family),
                "covers": COVERS,
                "summary": f"{model} of {library} {version}, small and with random weights, trains as on the CPU",
                "timeout": SECONDS,
            }


if __name__ == "__main__":
    listing.serve("libraries", "test_library_models.py", list_checks)
