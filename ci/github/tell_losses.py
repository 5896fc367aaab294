# SPDX-License-Identifier: BSD-3-Clause
"""Keeps one issue for each lost must and cause: opens, updates and closes it. Called by the nightly workflow.

  assay dashboard losses --db history.db > losses.json
  tell_losses.py --losses losses.json [--bisected FOLDER]

An issue is recognised by a mark in its body and by its author. A flaky check opens and closes no issue. FOLDER has
<key>.json of bisect_losses.py for each result. A second run changes nothing.

Exit status: 0 done, 1 GitHub rejected a request, 65 an input is wrong."""

import argparse
import json
import os
import re
import sys
from pathlib import Path

from github_api import Client, Refused
from pin_update import fenced

BOT = "github-actions[bot]"
MARK = re.compile(r"<!-- assay-loss ([0-9a-f]{16}) -->")
SHOWN_MOST = 20
# Most new issues per night. Even a night that breaks everything has few causes; more causes indicate another error.
NEW_MOST = 10


class WrongInput(Exception):
    pass


def read_losses(path):
    try:
        value = json.loads(path.read_text())
        if value["schema"] != "assay/losses/1":
            raise WrongInput(f"{path}: is of schema {value['schema']!r:.60}, not assay/losses/1")
        for loss in value["losses"]:
            if not re.fullmatch("[0-9a-f]{16}", loss["key"]) or not loss["shown_by"]:
                raise WrongInput(f"{path}: has a loss without a key or without a check")
        return value["losses"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WrongInput(f"{path}: is no list of losses ({error}): make it with assay dashboard losses") from None


def our_issues(client, root, author):
    """Key -> the open issue. Anybody can write a mark, so issues of other authors are ignored."""
    found = {}
    for issue in client.pages(f"{root}/issues", state="open"):
        mark = MARK.match(str(issue.get("body") or ""))
        if mark and "pull_request" not in issue and (issue.get("user") or {}).get("login") == author:
            found.setdefault(mark[1], issue)
    return found


# ---- text ------------------------------------------------------------------------------------------


def line(text):
    """Untrusted text on one line, without anything that GitHub interprets as a mention or markup."""
    return re.sub(r"[^\w .,:;+=/()-]", "?", " ".join(str(text).split()))[:200]


def revision(run):
    return "nothing" if run is None else f"{run['date'][:10]}: torch {run['torch']} {run['git']} backend {run['backend'] or 'unknown'}"


def bisected(folder, loss):
    """Returns the change that the bisection found for this loss. Ignores results for an earlier loss of the same
    cause."""
    path = folder / f"{loss['key']}.json" if folder else None
    found = json.loads(path.read_text()) if path and path.exists() else {"first": None}
    if not any(found["first"] == one["first"] for one in loss["shown_by"]):
        return "Not bisected yet."
    culprits = found["culprits"]
    lines = [f"{one['axis']} {one['way']} {one['revision']} {one.get('date', '')}\n{one.get('subject', '')}".strip()
             for one in culprits if one["found"]]
    return "Bisected:\n\n" + fenced("\n".join(lines)) if lines else "Bisected, and not found."


def disputed(shown):
    clauses = shown.get("disputed")  # an older assay does not write this field
    return f"  (disputed: {' '.join(clauses)})" if clauses else ""


def body_of(loss, folder):
    first = loss["shown_by"][0]
    shown = "\n".join(f"{one['check']}  torch {one['release']}  {one['verdict']}  {' '.join(one['clauses'])}{disputed(one)}\n    {one['seen']}"
                      for one in loss["shown_by"][:SHOWN_MOST])
    left = len(loss["shown_by"]) - SHOWN_MOST
    more = f"\nand {left} more" if left > 0 else ""
    between = f"kept     {revision(first['before'])}\nlost     {revision(first['first'])}"
    again = f"assay repro {first['check']} --target {loss['target']}"
    return (f"<!-- assay-loss {loss['key']} -->\nMusts that held before and are violated now, with one common cause. This issue is "
            f"kept up to date and closed by itself.\n\n{fenced(shown + more)}\nFirst bad revision: between\n\n{fenced(between)}\n"
            f"{bisected(folder, loss)}\n\nReproduction:\n\n{fenced(again)}")


def title_of(loss):
    checks = {one["check"] for one in loss["shown_by"]}
    first = loss["shown_by"][0]["check"]
    more = f" and {len(checks) - 1} more" if len(checks) > 1 else ""
    return line(f"{loss['target']}: {first}{more} lost")


# ---- changes to issues ---------------------------------------------------------------------------


def tell(losses, client, root, author, folder):
    """Makes the changes and yields a line for each."""
    open_ones = our_issues(client, root, author)
    new = [loss for loss in losses if loss["key"] not in open_ones and not loss["flaky"]]
    for loss in losses:
        issue = open_ones.pop(loss["key"], None)
        text = {"title": title_of(loss), "body": body_of(loss, folder)}
        if issue is None:
            continue
        if (issue.get("title"), issue.get("body")) != (text["title"], text["body"]):
            client.request("PATCH", f"{root}/issues/{int(issue['number'])}", text)
            yield f"updated {issue['number']}: {text['title']}"
    for loss in new[:NEW_MOST]:
        text = {"title": title_of(loss), "body": body_of(loss, folder)}
        made, _ = client.request("POST", f"{root}/issues", text)
        yield f"opened {made['number']}: {text['title']}"
    if len(new) > NEW_MOST:
        yield f"{len(new) - NEW_MOST} more causes are left for the next night"
    for issue in open_ones.values():
        client.request("PATCH", f"{root}/issues/{int(issue['number'])}", {"state": "closed"})
        yield f"closed {issue['number']}: kept again"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--losses", type=Path, required=True)
    parser.add_argument("--bisected", type=Path)
    parser.add_argument("--author", default=BOT, help="who opens the issues: the login of the token")
    parser.add_argument("--api", default=os.environ.get("GITHUB_API_URL", "https://api.github.com"))
    parser.add_argument("--repository", default=os.environ.get("GITHUB_REPOSITORY"))
    arguments = parser.parse_args(words)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", arguments.repository or ""):
        parser.error("give --repository OWNER/NAME")
    try:
        losses = read_losses(arguments.losses)
        client = Client(arguments.api, os.environ.get("GITHUB_TOKEN", ""))
        for said in tell(losses, client, f"/repos/{arguments.repository}", arguments.author, arguments.bisected):
            print(said)
    except WrongInput as error:
        print(f"tell_losses: {error}", file=sys.stderr)
        return 65
    except Refused as refusal:
        print(f"tell_losses: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
