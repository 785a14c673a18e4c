"""What Schemathesis does at each request: logs in, and comes from another address each time, so that limits per address do not
end a run. CHECK_API_WHO names a file with the caller; see scripts/check-api."""

import itertools
import json
import os
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import schemathesis

WHO = json.loads(Path(os.environ['CHECK_API_WHO']).read_text())
TOKEN_LASTS = 240  # seconds
ADDRESSES = (f'10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}' for n in itertools.count(1))


class Session:
    """The login of the first account that still is one."""

    def __init__(self):
        self.accounts, self.token, self.until, self.lock = list(WHO['accounts']), None, 0, threading.Lock()

    def header(self):
        if not self.accounts:
            return WHO['authorization']
        with self.lock:
            if time.monotonic() > self.until:
                self.token, self.until = self.log_in(), time.monotonic() + TOKEN_LASTS
        return f'Bearer {self.token}'

    def log_in(self):
        form = {name: str(value) for name, value in self.accounts[0].items()} | {'electrician': str(self.accounts[0]['electrician']).lower()}
        headers = {'X-Forwarded-For': next(ADDRESSES)}
        request = urllib.request.Request(f'{WHO["url"]}/api/auth/token/', urllib.parse.urlencode(form).encode(), headers)
        return json.loads(urllib.request.urlopen(request).read())['access']

    def leave(self):
        """The next account takes over; the last one stays with a login that has ended."""
        with self.lock:
            if len(self.accounts) > 1:
                self.accounts.pop(0)
                self.until = 0


SESSION = Session()
LEAVING = {('POST', '/api/auth/logout/'), ('DELETE', '/api/auth/account/'), ('DELETE', '/api/auth/usr_sn/{sn}/')}


if SESSION.header() is not None:

    @schemathesis.auth(refresh_interval=None)
    class Login:
        def get(self, case, ctx):
            return SESSION.header()

        def set(self, case, data, ctx):
            case.headers['Authorization'] = data


@schemathesis.hook
def before_init_operation(context, operation):
    if operation.path.startswith('/api/v1/'):
        operation.base_url = WHO['updates']


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers['X-Forwarded-For'] = next(ADDRESSES)


@schemathesis.hook
def after_call(context, case, response):
    if (case.method.upper(), case.operation.path) in LEAVING and response.status_code == 204:
        SESSION.leave()
