# SPDX-License-Identifier: BSD-3-Clause
"""Connects a pull request on GitHub with `assay gate`. Runs in the job with the write token.

  pull_request.py context --out DIR      writes the gate's input: changed_files.txt, labels.txt
  pull_request.py apply --decision FILE  check run, label and comment as decision.json says

The event alone determines the pull request, and the contract alone (`assay list`) determines the labels. Uploads of
the unprivileged job are never read here. If the head of the pull request has changed, nothing is written, because the
run of the new head will judge it. A second run changes nothing.

Exit status: 0 done (or nothing to do), 1 a change could not be applied, 65 an input is wrong.
"""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import urllib.parse
from pathlib import Path

from github_api import Client, Refused

MARKER = "<!-- assay-gate -->"
EXPECTATIONS = "ci/expectations"
COMMENT_MOST = 60000  # GitHub allows 65,536 characters
DECISION_MOST = 16 << 20
# Undecided must not count as success. GitHub counts "neutral" as success for a required check.
CONCLUSIONS = {"pass": "success", "blocked": "failure", "undecided": "action_required"}
COLOUR = "d4c5f9"
EXPLANATION = "Backends outside the tree must adapt to this change (set by assay)"


class WrongInput(Exception):
    pass


class OneHeadInSeveral(Exception):
    """GitHub attaches a check run to a commit, so the check run would appear in each of these pull requests."""

    def __init__(self, numbers, sha):
        self.numbers, self.sha = numbers, sha
        named = " and ".join(f"#{number}" for number in sorted(numbers))
        super().__init__(
            f"{named} have the same head. A check run belongs to a commit and would apply to all of them, "
            "but its base and its files are those of one. Close all but one, or add a "
            "commit to one of them."
        )


def say(text):
    """Prints one line for the log. A line that begins with :: would be a workflow command, such as ::set-output."""
    clean = "".join(c if c.isprintable() else " " for c in str(text))
    print(f"pull_request: {clean}", flush=True)


# ---- which pull request --------------------------------------------------------------------------


def read_json(path, most):
    data = Path(path).read_bytes()
    if len(data) > most:
        raise WrongInput(f"{path}: larger than {most} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise WrongInput(f"{path}: not JSON: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise WrongInput(f"{path}: not an object")
    return value


def head_of(event):
    """The judged commit and the repository of its branch, from a GitHub event."""
    if "workflow_run" in event:
        run = event["workflow_run"]
        if run.get("event") not in ("pull_request", "pull_request_target"):
            raise WrongInput(f"the event is of a run on {run.get('event')}, not of a pull request")
        owner = ((run.get("head_repository") or {}).get("owner") or {}).get("login")
        return run.get("head_sha"), owner, run.get("head_branch"), run.get("pull_requests") or []
    if "pull_request" in event:
        pull = event["pull_request"]
        return (pull.get("head") or {}).get("sha"), None, None, [pull]
    raise WrongInput("the event is neither workflow_run nor pull_request")


def find_pull(client, repository, event):
    """Returns the open pull request of the event and the judged commit. Instead of the pull request, returns None if no
    open one has this commit as its head. The event does not list pull requests from forks."""
    sha, owner, branch, listed = head_of(event)
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", str(sha)):
        raise WrongInput("the event names no commit")
    if listed:
        candidates = [client.get(f"/repos/{repository}/pulls/{int(p['number'])}") for p in listed]
    elif owner and branch:
        candidates = list(
            client.pages(f"/repos/{repository}/pulls", state="open", head=f"{owner}:{branch}")
        )
    else:
        raise WrongInput("the event names neither a pull request nor a branch")
    mine = [
        p
        for p in candidates
        if p["state"] == "open" and p["base"]["repo"]["full_name"].lower() == repository.lower()
    ]
    at_head = [p for p in mine if p["head"]["sha"] == sha]
    if len(at_head) > 1:
        raise OneHeadInSeveral([p["number"] for p in at_head], sha)
    if not at_head:
        moved = f"its head is now {mine[0]['head']['sha'][:12]}" if mine else "it is not open"
        say(f"nothing is changed: no open pull request has {sha[:12]} as its head ({moved})")
        return None, sha
    return at_head[0], sha


# ---- context -------------------------------------------------------------------------------------


def context(client, arguments, event):
    pull, _ = find_pull(client, arguments.repository, event)
    arguments.out.mkdir(parents=True, exist_ok=True)
    if pull is None:
        return 0
    path = f"/repos/{arguments.repository}/pulls/{pull['number']}/files"
    files = [
        name
        for item in client.pages(path)
        for name in (item["filename"], item.get("previous_filename"))
        if name
    ]
    # a name with a line break would become two lines; no file of this project has such a name
    write_lines(arguments.out / "changed_files.txt", files)
    write_lines(arguments.out / "labels.txt", [label["name"] for label in pull["labels"]])
    (arguments.out / "base_sha.txt").write_text(pull["base"]["sha"] + "\n")
    write_expectations(client, arguments, pull, files)
    write_output("base", pull["base"]["sha"])
    say(f"pull request #{pull['number']}: {len(files)} changed files")
    return 0


def write_expectations(client, arguments, pull, files):
    """Writes the lists of known failures in the pull request's version next to those of the base branch. An entry that
    the pull request removes is no longer valid. If the pull request adds an entry, the gate is undecided. The text
    is untrusted, and only the gate reads it."""
    changed = [name for name in files if re.fullmatch(rf"{EXPECTATIONS}/[\w-]+\.yaml", name)]
    place = arguments.out / "expectations"
    place.mkdir(exist_ok=True)
    for sha, names in ((pull["base"]["sha"], None), (pull["head"]["sha"], changed)):
        for name in list_expectations(client, arguments, sha) if names is None else names:
            text = read_content(client, arguments, name, sha)
            path = place / Path(name).name
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(text)


def list_expectations(client, arguments, sha):
    entries = client.find(f"/repos/{arguments.repository}/contents/{EXPECTATIONS}", ref=sha)
    names = [entry["path"] for entry in entries or []]
    return [name for name in names if re.fullmatch(rf"{EXPECTATIONS}/[\w-]+\.yaml", name)]


def read_content(client, arguments, name, sha):
    """Returns None if the commit has no such file."""
    answer = client.find(f"/repos/{arguments.repository}/contents/{name}", ref=sha)
    return None if answer is None else base64.b64decode(answer["content"])


def write_output(name, value):
    """Writes an output for the following steps. The values come from GitHub."""
    if os.environ.get("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as output:
            output.write(f"{name}={value}\n")


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines if "\n" not in line and "\r" not in line))


# ---- apply ---------------------------------------------------------------------------------------


def read_labels(program):
    """The names of the labels in the contract: {"adaptation": ..., "override": ..., "hint": ...}."""
    listed = subprocess.run([program, "list", "--format", "json"], env={}, capture_output=True, text=True, check=False)
    if listed.returncode:
        raise WrongInput(f"{program} list: {listed.stderr.strip()}")
    return json.loads(listed.stdout)["labels"]


def read_decision(path, ours):
    decision = read_json(path, DECISION_MOST)
    labels = decision.get("labels")
    if decision.get("schema") != "assay/decision/1" or decision.get("decision") not in CONCLUSIONS:
        raise WrongInput(f"{path}: not a decision of this version")
    if not isinstance(labels, dict) or not all(
        isinstance(labels.get(k), list) for k in ("add", "remove")
    ):
        raise WrongInput(f"{path}: labels are missing")
    foreign = [name for name in labels["add"] + labels["remove"] if name != ours["adaptation"]]
    if foreign:
        raise WrongInput(
            f"{path}: only {ours['adaptation']!r} may be set, not {foreign[0]!r:.80}"
        )
    if set(labels["add"]) & set(labels["remove"]):
        raise WrongInput(f"{path}: a label is to be added and removed")
    return decision


def cut(text, most):
    if len(text) <= most:
        return text
    return text[:most].rsplit("\n", 1)[0] + "\n\nThe rest is cut; decision.json has all of it.\n"


def post_check_run(client, arguments, sha, conclusion, output, link=None):
    run = {"name": arguments.name, "head_sha": sha, "status": "completed", "conclusion": conclusion}
    run.update(link or {}, output=output)
    client.request("POST", f"/repos/{arguments.repository}/check-runs", run)


class Judged:
    """One pull request at one commit, and the changes to make."""

    def __init__(self, client, arguments, decision, words, pull, sha):
        self.client, self.arguments, self.decision = client, arguments, decision
        self.words, self.pull, self.sha = words, pull, sha
        self.root = f"/repos/{arguments.repository}"
        self.issue = f"{self.root}/issues/{pull['number']}"

    def make_check_run(self):
        overridden = self.decision.get("overridden") is True
        conclusion = "neutral" if overridden else CONCLUSIONS[self.decision["decision"]]
        title = ("overridden: " if overridden else "") + str(self.decision.get("summary", ""))
        link = {"details_url": self.arguments.link} if self.arguments.link else {}
        output = {"title": title[:255], "summary": cut(self.words, COMMENT_MOST)}
        post_check_run(self.client, self.arguments, self.sha, conclusion, output, link)
        say(f"check run {self.arguments.name}: {conclusion}")

    def change_labels(self):
        now = {label["name"] for label in self.client.pages(f"{self.issue}/labels")}
        for name in self.decision["labels"]["add"]:
            if name not in now:
                self.add_label(name)
        for name in self.decision["labels"]["remove"]:
            if name in now:
                self.remove_label(name)

    def add_label(self, name):
        """If the repository does not have the label, adding it would create a label without a description."""
        if self.client.find(f"{self.root}/labels/{urllib.parse.quote(name, safe='')}") is None:
            self.make_label(name)
        self.client.request("POST", f"{self.issue}/labels", {"labels": [name]})
        say(f"label {name!r} added")

    def make_label(self, name):
        try:
            self.client.request(
                "POST",
                f"{self.root}/labels",
                {"name": name, "color": COLOUR, "description": EXPLANATION},
            )
        except Refused as refusal:
            if refusal.status != 422:  # another job has just created it
                raise

    def remove_label(self, name):
        """Removes only labels that assay set. A label that a person set stays until a person removes it."""
        if self.last_to_label(name) != self.arguments.actor:
            say(f"label {name!r} is not removed: a person has set it")
            return
        try:
            self.client.request(
                "DELETE", f"{self.issue}/labels/{urllib.parse.quote(name, safe='')}"
            )
        except Refused as refusal:
            if refusal.status != 404:  # already removed
                raise
        say(f"label {name!r} removed")

    def last_to_label(self, name):
        last = None
        for event in self.client.pages(f"{self.issue}/timeline"):
            if event.get("event") == "labeled" and (event.get("label") or {}).get("name") == name:
                last = (event.get("actor") or {}).get("login")
        return last

    def keep_comment(self):
        """Keeps one comment up to date. If there is nothing to report, no new comment is written."""
        old = self.own_comment()
        body = f"{MARKER}\n{cut(self.words, COMMENT_MOST)}"
        if old and old.get("body") != body:
            self.client.request(
                "PATCH", f"{self.root}/issues/comments/{int(old['id'])}", {"body": body}
            )
            say("comment brought up to date")
        elif not old and (self.decision["decision"] != "pass" or self.decision["labels"]["add"]):
            self.client.request("POST", f"{self.issue}/comments", {"body": body})
            say("comment written")

    def own_comment(self):
        for comment in self.client.pages(f"{self.issue}/comments"):
            ours = (comment.get("user") or {}).get("login") == self.arguments.actor
            if ours and str(comment.get("body", "")).startswith(MARKER):
                return comment
        return None


def apply(client, arguments, event):
    decision = read_decision(arguments.decision, read_labels(arguments.program))
    words = (
        arguments.markdown.read_text(errors="replace")
        if arguments.markdown
        else decision["summary"]
    )
    pull, sha = find_pull(client, arguments.repository, event)
    if pull is None:
        return 0
    judged = Judged(client, arguments, decision, words, pull, sha)
    steps = [judged.make_check_run, judged.change_labels]
    steps += [judged.keep_comment] if arguments.comment else []
    failed = 0
    for step in steps:
        try:
            step()
        except Refused as refusal:
            failed = 1
            say(f"{step.__name__}: {refusal}")
    return failed


def say_undecided(client, arguments, several):
    """Creates a check run with the reason, so that the pull request shows neither a green result nor an unexplained
    red job."""
    say(several)
    try:
        output = {"title": "one head in several pull requests", "summary": str(several)}
        post_check_run(client, arguments, several.sha, CONCLUSIONS["undecided"], output)
    except Refused as refusal:
        say(refusal)
        return 1
    return 0


# ---- command line --------------------------------------------------------------------------------


def parse(words):
    environment = os.environ.get
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--api", default=environment("GITHUB_API_URL", "https://api.github.com"))
    parser.add_argument("--event", type=Path, default=environment("GITHUB_EVENT_PATH"))
    parser.add_argument("--name", default="assay gate", help="of the check run")
    parser.add_argument("--repository", default=environment("GITHUB_REPOSITORY"))
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("context", help="write the inputs of the gate")
    one.add_argument("--out", type=Path, required=True)
    two = commands.add_parser("apply", help="apply decision.json")
    two.add_argument("--decision", type=Path, required=True)
    two.add_argument("--markdown", type=Path, help="text for people, written by assay gate")
    two.add_argument("--program", type=Path, default=Path("build/bin/assay"), help="that lists the labels")
    two.add_argument("--link", help="address of the whole report")
    two.add_argument("--actor", default="github-actions[bot]", help="login of the token")
    two.add_argument("--comment", action="store_true", help="also keep one comment")
    arguments = parser.parse_args(words)
    if not arguments.event or not re.fullmatch(r"[\w.-]+/[\w.-]+", arguments.repository or ""):
        parser.error("give --event and --repository OWNER/NAME")
    return arguments


def main(words=None, wait=None):
    arguments = parse(words)
    try:
        client = Client(
            arguments.api, os.environ.get("GITHUB_TOKEN", ""), **({"wait": wait} if wait else {})
        )
        event = read_json(arguments.event, DECISION_MOST)
        return {"context": context, "apply": apply}[arguments.command](client, arguments, event)
    except OneHeadInSeveral as several:
        return say_undecided(client, arguments, several)
    except Refused as refusal:
        say(refusal)
        return 1
    except (WrongInput, ValueError, OSError) as error:
        say(error)
        return 65
    except (KeyError, TypeError, AttributeError) as error:
        say(f"an answer or the event is not of the form GitHub documents: {error!r}")
        return 65


if __name__ == "__main__":
    sys.exit(main())
