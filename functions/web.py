"""All functions as one app: for Vercel, for `make dev`, for any ASGI server."""

from functions import health, rank, start, submit, top
from lib.http.app import Router

app = Router({"/submit": submit.app, "/start": start.app, "/top": top.app, "/rank": rank.app, "/health": health.app})
