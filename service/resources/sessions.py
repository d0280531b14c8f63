"""Tables that remember: every call under `/sessions`."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any
from weakref import WeakValueDictionary

from flask import Blueprint, Response, current_app, request
from flask.blueprints import BlueprintSetupState

import engines
from engines.core.shuffle import commitment
from service import json
from service.problems import Problem
from service.referee import AnyEngine, Json, Referee
from service.resources.http import JSON, accept_json, answer, json_body, language, limit, takes
from service.resources.stateless import invalid_request
from service.schemas import Invalid
from service.schemas.requests import body_of
from service.sessions.events import Feed
from service.sessions.fairness import deal_seed, server_seed
from service.sessions.record import Record, entry_written, Face
from service.sessions.store import Answer, Change, Keyed, Outcome, Store, StoreUnavailable, open_store
from service.sessions.tokens import HOST, SPECTATOR, TICKET_SECONDS, Bearer, Tokens, may_make, named, seat, session_name
from service.table import Table

ATTEMPTS = 12
"""How often a change is tried again when other workers' changes came first."""
PAGE = 500
"""Log entries in one answer."""
HEARTBEAT = 15.0
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
EVENT_STREAM = "text/event-stream"
