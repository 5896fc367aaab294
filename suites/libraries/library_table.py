# SPDX-License-Identifier: BSD-3-Clause
"""Which libraries can be tested, and the file for each: <library>_models.py, which has names() and tinies(family).

Nothing is downloaded: an environment variable forbids it before a library is imported. A new library needs a file
and a row here.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import re

LIBRARIES = {  # the imported package, and the file that creates its models
    "transformers": "transformers_models",
    "torchvision": "torchvision_models",
    "timm": "timm_models",
    "diffusers": "diffusers_models",
    "torch_geometric": "graph_models",
}
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DIFFUSERS_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1",
           "TRANSFORMERS_VERBOSITY": "error", "DIFFUSERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}


class Absent(Exception):
    """Raised with one sentence that says why a library cannot be tested here."""


def _adapter(library):
    if library not in LIBRARIES:
        raise Absent(f'no models of "{library}" are known: give {", ".join(LIBRARIES)}')
    os.environ.update(OFFLINE)
    if importlib.util.find_spec(library) is None:
        raise Absent(f"the interpreter of the target has no {library}: install it there, or name its folder as "
                     "PYTHONPATH under env: in the profile")
    return importlib.import_module(f"suites.libraries.{LIBRARIES[library]}")


def names(library):
    """The families of a library, each with the model that is tested."""
    adapter = _adapter(library)
    try:
        _import(adapter)
        return adapter.names()
    except Exception as error:  # the wheel was built for another torch, or a dependency is missing
        raise Absent(f"{library} cannot be imported: {type(error).__name__}: {error}") from error


def version(library):
    return importlib.metadata.version(library.replace("_", "-"))


def identity(library, family):
    return f"libraries.{library}.{re.sub(r'[^0-9A-Za-z_.]', '_', family)}"


def tinies(identifier):
    """The models of a check, one for each implementation of attention."""
    library = identifier.split(".")[1]
    family = next((one for one in names(library) if identity(library, one) == identifier), None)
    if family is None:
        raise Absent(f"{library} has no family of that name")
    return _adapter(library).tinies(family)


def warm(libraries):
    """Imports the modules that all families need, so that not every process imports them."""
    for library in libraries:
        _import(_adapter(library))


def _import(adapter):
    for name in adapter.WARM:
        importlib.import_module(name)
