# SPDX-License-Identifier: BSD-3-Clause
"""A local stand-in for the part of GitHub's REST API that this folder uses, for tests.

It keeps state like the real one (labels, timeline, comments, check runs), pages its lists with Link
headers, has read-only tokens, runs out of requests, and can be told to do something at a moment.
"""

import base64
import json
import re
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOT = "github-actions[bot]"
READ_ONLY = "read-only"
PAGE_MOST = 2  # whatever per_page asks for, so that every list has pages


def routes():
    """Method, path behind /repos/OWNER/NAME, and the function that answers."""
    return (
        ("GET", r"/pulls/(\d+)", "get_pull"),
        ("GET", r"/contents/(.+)", "get_content"),
        ("GET", r"/pulls", "list_pulls"),
        ("GET", r"/pulls/(\d+)/files", "list_files"),
        ("POST", r"/pulls", "make_pull"),
        ("GET", r"/issues", "list_issues"),
        ("POST", r"/issues", "make_issue"),
        ("PATCH", r"/issues/(\d+)", "edit_issue"),
        ("GET", r"/issues/(\d+)/labels", "list_labels"),
        ("POST", r"/issues/(\d+)/labels", "add_labels"),
        ("DELETE", r"/issues/(\d+)/labels/([^/]+)", "remove_label"),
        ("GET", r"/issues/(\d+)/timeline", "list_timeline"),
        ("GET", r"/issues/(\d+)/comments", "list_comments"),
        ("POST", r"/issues/(\d+)/comments", "make_comment"),
        ("PATCH", r"/issues/comments/(\d+)", "edit_comment"),
        ("GET", r"/labels/([^/]+)", "get_label"),
        ("POST", r"/labels", "make_label"),
        ("POST", r"/check-runs", "make_check_run"),
    )


class Answer(Exception):
    def __init__(self, status, body, headers=()):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, dict(headers)


class State:
    def __init__(self, repository="pytorch/pytorch"):
        self.repository = repository
        self.pulls, self.files, self.issues = {}, {}, []
        self.repository_labels = set()
        self.labels, self.timeline, self.comments = {}, {}, []
        self.check_runs = []
        self.contents = {}  # (commit, path) -> text
        self.known_commits = set()
        self.requests = []
        self.refusals = []  # answers given before anything else, first come first served
        self.before = {}  # function name -> called once before it answers
        self.evil_link = None

    def add_pull(self, number, sha, owner="someone", branch="topic", state="open", labels=()):
        self.pulls[number] = {
            "number": number,
            "state": state,
            "labels": [{"name": name} for name in labels],
            "head": {"sha": sha, "ref": branch, "label": f"{owner}:{branch}"},
            "base": {"ref": "main", "sha": "b" * 40, "repo": {"full_name": self.repository}},
        }
        self.labels[number] = list(labels)
        self.timeline[number] = []
        self.known_commits.add(sha)

    def label(self, number, name, actor):
        if name not in self.labels[number]:
            self.labels[number].append(name)
        self.timeline[number].append(
            {"event": "labeled", "actor": {"login": actor}, "label": {"name": name}}
        )

    # Each answers with (status, body), or a list that is paged.

    def get_pull(self, _, number):
        return 200, self.pulls[int(number)]

    def list_pulls(self, query):
        return [
            pull
            for pull in self.pulls.values()
            if pull["state"] == query.get("state", "open")
            and query.get("head") in (None, pull["head"]["label"])
        ]

    def get_content(self, query, path):
        sha = query["ref"]
        if (sha, path) in self.contents:
            text = self.contents[sha, path].encode()
            return 200, {"path": path, "encoding": "base64", "content": base64.encodebytes(text).decode()}
        inside = [{"path": name} for commit, name in self.contents
                  if commit == sha and name.startswith(path + "/")]
        return (200, inside) if inside else (404, {"message": "Not Found"})

    def list_files(self, _, number):
        return self.files.get(int(number), [])

    def make_pull(self, body):
        if any(pull["head"]["ref"] == body["head"] for pull in self.list_pulls({})):
            return 422, {
                "message": "Validation Failed",
                "errors": [{"message": "A pull request already exists"}],
            }
        number = 1000 + len(self.pulls)
        self.add_pull(number, "c" * 40, self.repository.split("/")[0], body["head"])
        self.pulls[number].update(title=body["title"], body=body["body"])
        return 201, self.pulls[number]

    def list_issues(self, query):
        return [issue for issue in self.issues if issue["state"] == query.get("state", "open")]

    def make_issue(self, body):
        self.issues.append(
            {"number": 2000 + len(self.issues), "state": "open", "user": {"login": BOT}, **body}
        )
        return 201, self.issues[-1]

    def edit_issue(self, body, number):
        issue = next(issue for issue in self.issues if issue["number"] == int(number))
        issue.update(body)
        return 200, issue

    def list_labels(self, _, number):
        return [{"name": name} for name in self.labels[int(number)]]

    def add_labels(self, body, number):
        for name in body["labels"]:
            self.repository_labels.add(name)
            self.label(int(number), name, BOT)
        return 200, self.list_labels(None, number)

    def remove_label(self, _, number, name):
        if name not in self.labels[int(number)]:
            return 404, {"message": "Label does not exist"}
        self.labels[int(number)].remove(name)
        return 200, self.list_labels(None, number)

    def list_timeline(self, _, number):
        return self.timeline[int(number)]

    def list_comments(self, _, number):
        return [comment for comment in self.comments if comment["issue"] == int(number)]

    def make_comment(self, body, number):
        if len(body["body"]) > 65536:
            return 422, {
                "message": "Validation Failed",
                "errors": [{"message": "body is too long"}],
            }
        self.comments.append(
            {"id": 1 + len(self.comments), "issue": int(number), "user": {"login": BOT}, **body}
        )
        return 201, self.comments[-1]

    def edit_comment(self, body, number):
        self.comments[int(number) - 1].update(body)
        return 200, self.comments[int(number) - 1]

    def get_label(self, _, name):
        return (
            (200, {"name": name})
            if name in self.repository_labels
            else (404, {"message": "Not Found"})
        )

    def make_label(self, body):
        if body["name"] in self.repository_labels:
            return 422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]}
        self.repository_labels.add(body["name"])
        return 201, body

    def make_check_run(self, body):
        if body["head_sha"] not in self.known_commits:
            return 422, {"message": f"No commit found for SHA: {body['head_sha']}"}
        if len(body["output"]["summary"]) > 65535:
            return 422, {"message": "Validation Failed"}
        self.check_runs.append(body)
        return 201, {"id": len(self.check_runs)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        state = self.server.state
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        state.requests.append((self.command, address.path))
        if state.refusals:
            raise state.refusals.pop(0)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not token:
            raise Answer(401, {"message": "Requires authentication"})
        if token == READ_ONLY and self.command != "GET":
            raise Answer(
                403,
                {"message": "Resource not accessible by integration"},
                {"x-ratelimit-remaining": "990"},
            )
        name, words = self.route(address.path)
        state.before.pop(name, lambda: None)()
        result = getattr(state, name)(
            query if self.command == "GET" else json.loads(data or b"{}"), *words
        )
        return self.page(address.path, query, result) if isinstance(result, list) else (*result, {})

    def route(self, path):
        root = f"/repos/{self.server.state.repository}"
        for method, pattern, name in routes():
            match = re.fullmatch(re.escape(root) + pattern, path)
            if match and method == self.command:
                return name, [urllib.parse.unquote(word) for word in match.groups()]
        raise Answer(404, {"message": "Not Found"})

    def page(self, path, query, items):
        number, size = int(query.get("page", 1)), min(PAGE_MOST, int(query.get("per_page", 30)))
        headers = {}
        if number * size < len(items):
            more = urllib.parse.urlencode({**query, "page": number + 1})
            base = self.server.state.evil_link or f"http://127.0.0.1:{self.server.server_port}"
            headers["Link"] = (
                f'<{base}{path}?{more}>; rel="next", <{base}{path}?page=99>; rel="last"'
            )
        return 200, items[(number - 1) * size : number * size], headers

    def handle_any(self):
        try:
            status, body, headers = self.answer()
        except Answer as answer:
            status, body, headers = answer.status, answer.body, answer.headers
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any


class Server:
    """with Server() as server: server.state, server.address"""

    def __enter__(self):
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.state = self.state = State()
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()
