"""The Lock of redis-py: redis_lock.py HOST:PORT NAME"""
import sys

import redis

from peer import serve

address, name = sys.argv[1:]
host, port = address.rsplit(":", 1)
lock = redis.Redis(host=host, port=int(port)).lock(name, timeout=60, sleep=0.002)
serve(lock.acquire, lock.release)
