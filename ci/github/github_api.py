# SPDX-License-Identifier: BSD-3-Clause
"""The part of GitHub's REST API that this project needs, with the standard library.

Used by pull_request.py and pin_update.py. It handles requests, pages, rate limits and errors, and must not depend on
the callers. The endpoint, the token and the wait function are parameters, so that a test can use a stand-in.
"""

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 5
PAGES_MOST = 100
WAIT_MOST = 900  # seconds, in total for one request
BODY_MOST = 32 << 20
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Refused(Exception):
    """GitHub rejected the request, and repeating it would not help."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Rejects redirects, because a redirect could send the token to another server."""

    def redirect_request(self, *_):
        return None


def next_page(link):
    """The address with rel="next" in a Link header, or None on the last page."""
    for part in (link or "").split(","):
        match = re.fullmatch(r'\s*<([^>]*)>\s*;(?:[^;]*;)*?\s*rel="?next"?.*', part)
        if match:
            return match[1]
    return None


def is_rate_limit(status, headers, body):
    if status == 429:
        return True
    return status == 403 and (
        headers.get("x-ratelimit-remaining") == "0"
        or "retry-after" in headers
        or "rate limit" in str(body.get("message", "")).lower()
    )


def pause_of(headers, attempt, now):
    """Seconds to wait, according to GitHub's documentation of rate limits."""
    if str(headers.get("retry-after", "")).isdigit():
        return int(headers["retry-after"])
    reset = str(headers.get("x-ratelimit-reset", ""))
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
        return max(1, int(reset) - int(now))
    return 60 * 2**attempt


def sentence_of(status, method, path, body):
    said = str(body.get("message", ""))[:300]
    details = json.dumps(body["errors"])[:300] if body.get("errors") else ""
    why = {
        401: "the token is not valid",
        403: "the token may not do this: a job on pull_request of a fork has a read-only token; "
        "do this in a workflow_run job with the permission",
        404: "there is no such thing, or the token may not see it",
        422: "the values were refused",
    }.get(status, "it went wrong")
    return f"{method} {path}: {status}, {why}. GitHub says: {said} {details}".rstrip()


class Client:
    def __init__(self, endpoint, token, wait=time.sleep, clock=time.time):
        host = urllib.parse.urlsplit(endpoint)
        if host.scheme != "https" and host.hostname not in LOOPBACK:
            raise ValueError(f"the endpoint must be https: {endpoint}")
        self.endpoint = endpoint.rstrip("/")
        self.token = token
        self.wait = wait
        self.clock = clock
        self.opener = urllib.request.build_opener(NoRedirect())

    def get(self, path, **query):
        return self.request("GET", path, query=query)[0]

    def find(self, path, **query):
        """Returns None if the object does not exist."""
        try:
            return self.get(path, **query)
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return None

    def pages(self, path, **query):
        """Yields the items of a list from all pages. Every page must have the endpoint's address."""
        address = self.address(path, {"per_page": 100, **query})
        for _ in range(PAGES_MOST):
            items, headers = self.send("GET", address, path, None)
            yield from items
            address = next_page(headers.get("link"))
            if address is None:
                return
            if not address.startswith(self.endpoint + "/"):
                raise Refused(0, f"GET {path}: the next page is not at the endpoint")
        raise Refused(0, f"GET {path}: more than {PAGES_MOST} pages")

    def request(self, method, path, body=None, query=None):
        return self.send(method, self.address(path, query), path, body)

    def address(self, path, query):
        return self.endpoint + path + ("?" + urllib.parse.urlencode(query) if query else "")

    def send(self, method, address, path, body):
        """Repeats a request after a wait if GitHub requests this. A POST is repeated only if it was rejected before it
        had an effect."""
        waited = 0
        for attempt in range(ATTEMPTS):
            status, headers, answer = self.once(method, address, body)
            if 200 <= status < 300:
                return answer, headers
            said = answer if isinstance(answer, dict) else {}
            limited = is_rate_limit(status, headers, said)
            if not limited and (status < 500 and status != 0 or method == "POST"):
                raise Refused(status, sentence_of(status, method, path, said))
            pause = pause_of(headers, attempt, self.clock()) if limited else 2**attempt
            waited += pause
            if attempt == ATTEMPTS - 1 or waited > WAIT_MOST:
                raise Refused(
                    status, f"{method} {path}: still {status} after {attempt + 1} attempts"
                )
            self.wait(pause)
        raise AssertionError("the last attempt returns or raises")

    def once(self, method, address, body):
        """Makes one request. Returns the status (0 for no response), headers with lower-case names, and the JSON of the
        body."""
        request = urllib.request.Request(
            address,
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "assay",
            },
        )
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with self.opener.open(request, timeout=30) as response:
                return response.status, small(response.headers), load(response.read(BODY_MOST))
        except urllib.error.HTTPError as error:
            with error:
                return error.code, small(error.headers), load(error.read(BODY_MOST))
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            return 0, {}, {"message": str(error)}


def small(headers):
    return {name.lower(): value for name, value in headers.items()}


def load(text):
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {"message": "the answer is not JSON"}
