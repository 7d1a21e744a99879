"""What the peers in Python have in common."""
import sys
import time


def step(file):
    """One step of the counter, in parts that another could come between."""
    with open(file) as f:
        text = f.read().strip()
    time.sleep(0.001)
    with open(file, "w") as f:
        f.write(f"{int(text or 0) + 1}\n")


def serve(lock, unlock):
    say("ready")
    for line in sys.stdin:
        order, *rest = line.split()
        if order == "lock":
            lock()
            say("locked")
        elif order == "unlock":
            unlock()
            say("unlocked")
        else:
            rounds, file = rest
            for _ in range(int(rounds)):
                if order == "race":
                    step(file)
                    continue
                lock()
                step(file)
                unlock()
                time.sleep(0.005)  # so that others get the lock, too
            say("counted")


def say(word):
    print(word, flush=True)
