# SPDX-License-Identifier: BSD-3-Clause
"""Looks for a newer torch once a week; called by .github/workflows/torch_pin.yml.

  pin_update.py newest --report FILE     from pip: "version=X" when it is newer than the pin
  pin_update.py publish --version X ...  green: a pull request for branch torch-pin/X, and an open
                                         issue is closed; not green: one issue with the differences

Exit status: 0 done, 1 GitHub rejected a request, 65 an input is wrong.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

from github_api import Client, Refused

ROOT = Path(__file__).resolve().parents[2]
MARKER = "<!-- assay-torch-pin -->"
DIFFERENCES_MOST = 30000  # characters for each of two texts; GitHub allows 65,536 in a body
VERSION = re.compile(r"[0-9]+(\.[0-9]+){1,3}")


class WrongInput(Exception):
    pass


def number(version):
    """The number of a release: "2.13.0" and "2.13.0+cpu" give (2, 13, 0)."""
    public = version.strip().split("+")[0]
    if not VERSION.fullmatch(public):
        raise WrongInput(f"not the version of a release: {version!r:.60}")
    return public, tuple(int(part) for part in public.split("."))


def newest(arguments):
    report = json.loads(arguments.report.read_text())
    found = [
        item["metadata"]["version"]
        for item in report["install"]
        if item["metadata"]["name"] == "torch"
    ]
    if len(found) != 1:
        raise WrongInput(f"{arguments.report}: pip would not install exactly one torch")
    version, new = number(found[0])
    _, pinned = number(arguments.pin.read_text())
    if new > pinned:
        print(f"version={version}")
    return 0


# ---- publish -------------------------------------------------------------------------------------


def fenced(text):
    """Untrusted text in a code block that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    clean = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    if len(clean) > DIFFERENCES_MOST:
        clean = clean[:DIFFERENCES_MOST].rsplit("\n", 1)[0] + "\n[cut; the artifact has all of it]"
    return f"{fence}text\n{clean.rstrip()}\n{fence}\n"


def open_issue(client, root):
    for issue in client.pages(f"{root}/issues", state="open"):
        if "pull_request" not in issue and str(issue.get("body") or "").startswith(MARKER):
            return issue
    return None


def news(drift):
    """The comparison by assay drift, for maintainers of backends."""
    return f"\n\nWhat the new torch changes for backends:\n\n{fenced(drift)}" if drift.strip() else ""


def propose(client, root, version, issue, drift):
    body = f"All tests pass and the fake device keeps the contract with torch {version}.{news(drift)}"
    try:
        client.request(
            "POST",
            f"{root}/pulls",
            {
                "title": f"ci: pin torch {version}",
                "head": f"torch-pin/{version}",
                "base": "main",
                "body": body,
            },
        )
    except Refused as refusal:
        if refusal.status != 422 or "already exists" not in str(refusal):
            raise
    if issue:
        client.request("PATCH", f"{root}/issues/{int(issue['number'])}", {"state": "closed"})


def complain(client, root, version, differences, issue, drift):
    text = {
        "title": f"torch {version}: the pin cannot move",
        "body": f"{MARKER}\nWith torch {version} not everything passes. Old against new:\n\n"
        + fenced(differences)
        + news(drift),
    }
    if issue is None:
        client.request("POST", f"{root}/issues", text)
    elif (issue.get("title"), issue.get("body")) != (text["title"], text["body"]):
        client.request("PATCH", f"{root}/issues/{int(issue['number'])}", text)


def publish(arguments, client):
    version, _ = number(arguments.version)
    root = f"/repos/{arguments.repository}"
    issue = open_issue(client, root)
    drift = arguments.drift.read_text(errors="replace") if arguments.drift else ""
    if arguments.green.read_text().strip() == "true":
        propose(client, root, version, issue, drift)
    else:
        complain(client, root, version, arguments.differences.read_text(errors="replace"), issue, drift)
    return 0


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("newest")
    one.add_argument("--report", type=Path, required=True)
    one.add_argument("--pin", type=Path, default=ROOT / "ci" / "torch-pin")
    two = commands.add_parser("publish")
    two.add_argument("--version", required=True)
    two.add_argument("--green", type=Path, required=True, help="holds true or false")
    two.add_argument("--differences", type=Path, required=True)
    two.add_argument("--drift", type=Path, help="output of assay drift for old and new")
    two.add_argument("--api", default=os.environ.get("GITHUB_API_URL", "https://api.github.com"))
    two.add_argument("--repository", default=os.environ.get("GITHUB_REPOSITORY"))
    arguments = parser.parse_args(words)
    if arguments.command == "publish" and not re.fullmatch(
        r"[\w.-]+/[\w.-]+", arguments.repository or ""
    ):
        parser.error("give --repository OWNER/NAME")
    return arguments


def main(words=None):
    arguments = parse(words)
    try:
        if arguments.command == "newest":
            return newest(arguments)
        return publish(arguments, Client(arguments.api, os.environ.get("GITHUB_TOKEN", "")))
    except Refused as refusal:
        print(f"pin_update: {refusal}", file=sys.stderr)
        return 1
    except (WrongInput, ValueError, OSError, KeyError, TypeError) as error:
        print(f"pin_update: {error!r}", file=sys.stderr)
        return 65


if __name__ == "__main__":
    sys.exit(main())
