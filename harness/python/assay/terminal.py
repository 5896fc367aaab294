# SPDX-License-Identifier: BSD-3-Clause
"""Foreign text on its way to a terminal or the log of a workflow; harness/base/system/terminal.c does the same in C."""

import re

# Control characters but newline and tab, characters that change direction or are invisible, halves of surrogates; and
# the first character of "##[word]" and of "::word", which a GitHub runner takes for a command.
_DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
                        r"|#(?=#\[)|(?<!\S):(?=:)")  # fmt: skip


def clean(text):
    """Each dangerous character as \\u001b, which is also how JSON says it, so that a document stays one."""
    return _DANGEROUS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
