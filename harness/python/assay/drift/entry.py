# SPDX-License-Identifier: BSD-3-Clause
"""One difference, and the closed table of the kinds of changes."""

import re
from dataclasses import dataclass, field

from assay.facts.dump import owner_of

RANKS = ("break", "adapt", "behaviour", "deprecated", "abi", "info")

# All ways in which C++ or Python code can name an entity.
NAMED = ("name", "call", "derive", "override", "field", "switch", "expand", "include", "address", "specialise", "aggregate",
         "import", "vtable", "typeinfo", "subclass", "patch", "read", "copy", "register", "dispatch")  # fmt: skip


@dataclass(frozen=True)
class Change:
    rank: str  # the rank for the most affected of the common ways of use
    hits: dict  # {way of use: rank}; ways that are not listed are safe
    advice: str  # advice for a backend; {name} and {leaf} are replaced


def every(rank):
    return dict.fromkeys(NAMED, rank)


B, A, V, I = "break", "adapt", "behaviour", "info"

CHANGES = {
    # both languages
    "removed": Change(B, every(B), "Stop using {name}: it was removed."),
    "moved": Change(B, {"include": B, "name": B, "call": B, "expand": B, "derive": B, "override": B},
                    "Include the header that declares {name} now."),
    "deprecated": Change("deprecated", every("deprecated"), "{name} still works; replace it before it is removed."),
    "added": Change(I, {"define": B}, "Nothing, unless the backend defines the same name itself."),
    "kind": Change(B, every(B), "{leaf} is now a {after}: use it as one."),
    "kind_alike": Change(A, {**every(A), "switch": B, "specialise": B}, "{leaf} is now a {after}: most code compiles; a switch over it or a specialisation does not."),
    "unreached": Change(B, {"name": B, "call": B, "expand": B, "derive": B, "override": B, "switch": B, "field": B},
                        "Include {after}: the headers that included it no longer do."),
    "moved_along": Change(I, {}, "Nothing: every header that included {name} through {before} still does."),
    "brought": Change("abi", {"import": B, "specialise": B, "define": B}, "Compile again: {name} is {after} now, available under its old name."),
    "overload_merged": Change("abi", {"import": B, "address": A, "override": B}, "Compile again: calls of {leaf} now mean {after}."),
    "held_by_base": Change("abi", {"import": B, "specialise": A}, "Compile again: {leaf} is a member of the base {after} now."),
    # classes
    "pure_virtual_added": Change(B, {"derive": B, "define": V}, "Implement {leaf} in every class that derives from {owner}: without it these classes are abstract."),
    "virtual_added": Change(A, {"derive": A, "define": V, "vtable": "abi"}, "Decide whether {leaf} must be implemented: the default of {owner} may refuse or do nothing."),
    "virtual_refuses": Change(A, {"derive": A, "define": V, "vtable": "abi"}, "Implement {leaf} if the device can do it: the default of {owner} refuses."),
    "became_pure": Change(B, {"derive": B, "call": V}, "Implement {leaf} in every class that derives from {owner}."),
    "became_virtual": Change("abi", {"define": V, "vtable": "abi", "import": "abi"}, "Compile again; a method of the same name in a derived class overrides it now."),
    "no_longer_virtual": Change(B, {"override": B, "vtable": "abi"}, "Remove the override of {leaf}: PyTorch no longer calls it."),
    "no_longer_pure": Change(I, {"vtable": "abi"}, "Nothing; the base class has a default now."),
    "final": Change(B, {"derive": B, "override": B}, "Do not derive from or override {name}: it is final."),
    "no_longer_final": Change(I, {}, "Nothing."),
    "base_removed": Change(B, {"derive": B, "name": B, "call": B, "override": B}, "{name} is no longer a {before}: remove casts and calls that rely on it."),
    "base_added": Change("abi", {"vtable": "abi", "aggregate": A}, "Compile again."),
    "access_narrowed": Change(B, {**every(B), "import": "abi"}, "{name} is {after} now: access it in another way."),
    "access_widened": Change(I, {}, "Nothing."),
    "layout": Change("abi", {"field": "abi", "aggregate": A, "import": "abi", "vtable": "abi"}, "Compile again; check braces that initialise {owner}."),
    "field_added": Change("abi", {"aggregate": A, "define": V, "import": "abi", "vtable": "abi"}, "Compile again; check braces that initialise {owner}, and code that copies it member by member."),
    "field_default": Change(V, {"field": V, "aggregate": V, "derive": V}, "If code does not set {leaf} of {owner}, it is {after} now, not {before}."),
    # functions
    "signature": Change(B, {"override": B, "call": A, "address": B, "import": B, "copy": B}, "Write the new signature of {leaf}: {after}."),
    "const": Change(B, {"override": B, "call": A, "address": B, "import": B}, "Write overrides of {leaf} as {after}; a call on a const object may no longer compile."),
    "parameter_removed": Change(B, {"override": B, "call": B, "address": B, "import": B}, "Call {leaf} as {after}, and write overrides in the same way."),
    "parameter_added": Change(B, {"override": B, "call": B, "address": B, "import": B}, "Call {leaf} as {after}, and write overrides in the same way."),
    "parameter_slides": Change(B, {"override": B, "call": A, "address": B, "import": B}, "Check each call of {leaf}: a call with all arguments still compiles but has another meaning, other calls do not compile: {after}."),
    "optional_parameter_added": Change(A, {"override": B, "address": B, "import": B}, "Calls stay as they are; overrides and pointers to {leaf} need the new parameter."),
    "same_words": Change("abi", {"address": A, "import": B, "override": A, "call": A}, "The same spelling of {leaf} means {after} now: compile again, and check code that spells the type out."),
    "taken_alike": Change("abi", {"import": B, "address": B}, "Compile again: {leaf} takes its arguments as {after} now; calls stay as they are."),
    "returns": Change(B, {"override": B, "call": B, "import": V}, "{leaf} returns {after} now, not {before}."),
    "returns_alike": Change("abi", {"import": "abi", "address": B}, "Compile again: {leaf} returns {after} now, not {before}."),
    "returns_number": Change(V, {"override": B, "call": V, "import": V}, "{leaf} returns {after} now, not {before}: an override no longer compiles, a caller may narrow or print something else."),
    "noexcept": Change(B, {"override": B}, "Write noexcept at overrides of {leaf}."),
    "noexcept_plain": Change(I, {}, "Nothing."),
    "static": Change(B, {"call": A, "address": B, "import": B}, "{leaf} is {after} now."),
    "deleted": Change(B, {"call": B, "address": B}, "{leaf} may not be called any more."),
    "default_removed": Change(B, {"call": B}, "Pass {before} to {leaf} explicitly: its default was removed."),
    "default_added": Change(I, {}, "Nothing."),
    "default": Change(V, {"call": V}, "A call of {leaf} without this argument means {after} now, not {before}."),
    "body": Change(V, {"derive": V, "call": V}, "The default of {leaf} does something else: check whether the backend relies on it."),
    "inline_body": Change(I, {"call": I, "copy": V}, "Nothing to change; compile again."),
    "not_exported": Change(B, {"call": B, "import": B, "derive": B, "override": I}, "{leaf} is declared but no library exports it: linking or loading fails."),
    "export_mark": Change("abi", {"derive": "abi"}, "Compile again: {leaf} is no longer declared as exported, though the libraries still export it."),
    "overload_added": Change(I, {"address": A, "define": B}, "A pointer to {leaf} may be ambiguous now."),
    "overload_ambiguous": Change(B, {"call": B, "address": A, "define": B}, "A call that meant {before} may mean {after} as well: pass all arguments."),
    "explicit": Change(B, {"call": B}, "Write {leaf}(...) where a value was converted implicitly."),
    "template": Change(B, {"name": B, "specialise": B, "call": A}, "Rewrite the template arguments of {name}: {after}."),
    "template_default": Change(V, {"name": V, "call": V}, "{name} without all its template arguments means another type now: {after}."),
    "template_alike": Change("abi", {"import": B, "specialise": A}, "Compile again: {name} takes the same template arguments, written another way: {after}."),
    # values
    "type": Change(B, {"field": B, "name": B, "aggregate": B}, "{name} is a {after} now, not a {before}."),
    "type_number": Change(V, {"field": V, "name": V, "aggregate": A}, "{name} is a {after} now, not a {before}: look for overflow and printing."),
    "alias": Change(B, {"name": B, "call": A, "override": B}, "{name} means {after} now, not {before}."),
    "value": Change("abi", {"name": V, "switch": V, "copy": V}, "Do not keep the number of {name}: it is {after} now."),
    "constant": Change(V, {"name": V, "expand": V, "read": V}, "{name} is {after} now, not {before}."),
    "count": Change(A, {"switch": A, "name": A}, "A table or assertion over {owner} has {after} entries now, not {before}."),
    "enumerator_added": Change(A, {"switch": A, "define": B}, "Handle {leaf} in tables and switches over {owner}."),
    "scoped": Change(B, {"name": B, "switch": B, "call": B}, "{name} is an {after} now, not an {before}: write its name before the enumerators', or convert to a number."),
    "underlying": Change("abi", {"name": "abi", "switch": "abi"}, "Compile again; {name} is stored as {after}."),
    # the preprocessor and headers
    "macro_arity": Change(B, {"expand": B, "define": B}, "Call {leaf} with {after}; it took {before}."),
    "macro_body": Change(I, {"expand": I, "copy": V}, "Nothing to change; compile again."),
    "no_longer_parses": Change(B, {"include": B}, "{name} cannot be included as it is: {after}."),
    "brings_less": Change(I, {}, "Include {after} where it is used: {name} no longer includes it."),
    "not_alone": Change(A, {"include": A}, "Include the headers that {name} needs before it: {after}."),
    "inactive": Change(B, every(B), "{name} is behind a condition of the preprocessor now and missing in this build."),
    # how PyTorch itself is built
    "cxx_standard": Change(A, {"include": A}, "Compile as C++{after}: PyTorch's headers need it now; before, they needed C++{before}."),
    "cxx_floor": Change(B, {"include": A}, "Compile as C++{after} or later: PyTorch's headers reject older standards now; before, they accepted C++{before}."),
    "lower_standard": Change(I, {}, "Nothing: code that compiled as C++{before} still does."),
    "library_abi": Change(A, {"include": A, "import": A}, "Compile and link with -D_GLIBCXX_USE_CXX11_ABI={after}, as PyTorch is now; it was {before}."),
    # operators
    "schema": Change(B, {"register": B, "dispatch": A, "patch": B}, "Register and call {leaf} with its new schema: {after}."),
    "schema_default": Change(A, {"register": B, "dispatch": I}, "Kernels of {leaf} need the new argument; calls stay as they are."),
    "computed_kernel": Change(A, {"dispatch": A}, "Register a kernel for {leaf}: core no longer composes it for a backend."),
    "computed": Change(V, {"register": V}, "{leaf} is {after} in core now (it was {before}): check whether the backend's kernel is still right."),
    "tags": Change(I, {"register": I}, "Nothing to change; {leaf} has tags {after} now."),
    "template_file": Change(I, {"copy": B}, "A backend that keeps a copy of this code-generator template must merge it."),
    # Python
    "required_argument": Change(B, {"call": B, "override": B, "patch": B, "subclass": I}, "Pass {after} to {leaf}: it has no default."),
    "optional_argument": Change(I, {"override": A, "patch": B, "copy": A}, "A function that replaces {leaf} must accept {after}."),
    "argument_removed": Change(B, {"call": B, "override": A, "patch": A}, "Do not pass {before} to {leaf} any more."),
    "argument_order": Change(B, {"call": B, "override": B, "patch": B}, "Pass the arguments of {leaf} by name or in the new order: {after}."),
    "positional_only": Change(B, {"call": B}, "Pass {before} to {leaf} by its place: its name is no longer known."),
    "argument_default": Change(V, {"call": V, "patch": I}, "A call of {leaf} without this argument means {after} now, not {before}."),
    "binding": Change(B, {"call": B, "override": B, "patch": B, "read": B}, "{leaf} is {after} now, not {before}."),
    "bases": Change(A, {"subclass": A, "patch": I}, "{leaf} has other base classes: {after}."),
    # symbols
    "symbol_gone": Change("abi", {"import": B}, "A binary that imports this symbol does not load; compile again."),
}  # fmt: skip

# Changes of a member that affect users of the class or enumeration: code that derives from the class, switches over the
# enumeration, or initialises the fields. If a member was removed, code that names the member is affected as well.
OF_THE_OWNER = {"pure_virtual_added", "virtual_added", "virtual_refuses", "became_pure", "body", "layout", "field_added", "enumerator_added", "count"}


@dataclass
class Entry:
    id: str
    kind: str
    change: str
    header: str = ""
    line: int = 0
    before: str = ""
    after: str = ""
    rank: str = ""
    owner: str = ""
    internal: bool = False  # a private name, or a name in a part that backends do not include
    group: str = ""
    requirements: list = field(default_factory=list)
    confirmed: str = ""  # the source that confirmed the rank, or ""
    causes: set = field(default_factory=set)  # keys that are shared by all entries of one upstream decision
    hint: str = ""  # the replacement, or PyTorch's deprecation message
    history: str = ""  # the entity in versions older than OLD

    def __post_init__(self):
        self.rank = self.rank or CHANGES[self.change].rank
        self.owner = self.owner or owner_of(self.id)

    @property
    def name(self):
        return self.id.partition(":")[2]

    @property
    def hits(self):
        return CHANGES[self.change].hits

    @property
    def leaf(self):
        return leaf_of(self.id)

    @property
    def advice(self):
        words = {"name": self.name, "leaf": self.leaf, "owner": self.owner.partition(":")[2] or "it",
                 "before": self.before or "nothing", "after": self.after or "nothing"}  # fmt: skip
        return " ".join(filter(None, (CHANGES[self.change].advice.format(**words), self.hint, self.history)))


def leaf_of(identity):
    """The last part of a name, without parameters."""
    name = identity.partition(":")[2]
    if operator := re.search(r"(?:^|::)(operator\W.*|operator\(\)|operator \w.*)$", name):
        return re.match(r"operator\(\)|[^(]*", operator[1])[0].strip()
    name = re.sub(r"\(.*", "", name)
    return re.split(r"::|\.(?=[^.]*$)", name)[-1]


def worst(ranks):
    return min(ranks, key=RANKS.index, default="info")
