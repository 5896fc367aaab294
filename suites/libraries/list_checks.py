# SPDX-License-Identifier: BSD-3-Clause
"""One check for each family of models that an installed library has: libraries.<library>.<family>.

Argument: names of libraries, comma-separated. Imports no model and makes none: what cannot be made small is found, and
said, by its check.
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
