"""Kazoo's Lock: kazoo_lock.py HOSTS PATH [PATTERN...]"""
import sys

from kazoo.client import KazooClient

from peer import serve

hosts, path, *patterns = sys.argv[1:]
client = KazooClient(hosts=hosts, timeout=30)
client.start()
lock = client.Lock(path, extra_lock_patterns=patterns)
serve(lock.acquire, lock.release)
