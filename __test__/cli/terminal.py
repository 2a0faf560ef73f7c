# Runs a command at a terminal of its own, as a user would: terminal.py, with a JSON object on standard input.
#
# command: the program and its arguments; cwd: the working folder;
# steps: each waits until the terminal shows `until`, then sends the characters `send`, or the signal `signal`.
# Prints what the terminal showed, the status (below 0 for a signal), whether the terminal echoed at each step, and whether it has
# its mode back at the end.
import fcntl, json, os, pty, select, signal, subprocess, sys, termios, time

MOST = 50  # seconds after which a command counts as hung

task = json.load(sys.stdin)
end = time.monotonic() + MOST
master, slave = pty.openpty()
before = termios.tcgetattr(slave)


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


child = subprocess.Popen(
    task["command"], cwd=task["cwd"], stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal
)
shown = b""


def read(seconds):
    """Reads what the terminal shows; false if it showed nothing for so long."""
    global shown
    ready, _, _ = select.select([master], [], [], seconds)
    if ready:
        shown += os.read(master, 65536)
    return bool(ready)


echoes = []
seen = 0
for step in task["steps"]:
    until = step["until"].encode()
    while until not in shown[seen:]:
        read(0.1)
        if child.poll() is not None and not read(0.1) or time.monotonic() > end:
            child.kill()
            sys.exit(f"the terminal never showed {until!r}, but {shown!r}")
    seen = shown.index(until, seen) + len(until)
    echoes.append(bool(termios.tcgetattr(slave)[3] & termios.ECHO))
    if "signal" in step:
        # The kernel hands typed characters over in a thread of its own: those that come after the mode is restored would show.
        time.sleep(0.3)
        child.send_signal(signal.Signals[step["signal"]])
    data = step.get("send", "").encode()
    while data:
        read(0)
        data = data[os.write(master, data[:512]) :]
while child.poll() is None:
    read(0.1)
    if time.monotonic() > end:
        child.kill()
        sys.exit(f"the command did not end: {shown!r}")
while read(0.05):
    pass
after = termios.tcgetattr(slave)
print(json.dumps({"shown": shown.decode(), "status": child.returncode, "echoes": echoes, "restored": after == before}))
