# SPDX-License-Identifier: BSD-3-Clause
"""Cleans untrusted text for a terminal or the log of a workflow; harness/base/system/terminal.c does the same in C."""

import re

# Matches control characters except newline and tab, characters that change the text direction or are invisible, and
# unpaired surrogates. Also matches the first character of "##[word]" and of "::word", because a GitHub runner
# interprets these as commands.
_DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
                        r"|#(?=#\[)|(?<!\S):(?=:)")  # fmt: skip


def clean(text):
    """Writes each dangerous character in the form \\u001b. JSON uses the same form, so a JSON document stays valid."""
    return _DANGEROUS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
