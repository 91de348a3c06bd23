"""Upstash emulator: a Redis, real or in memory, behind Upstash's REST protocol, on loopback only."""
