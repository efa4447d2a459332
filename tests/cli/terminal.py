"""terminal.py COMMAND…: runs the command with a terminal of 100 columns as standard error (and only
that), and prints what the terminal got.  Standard output goes to /dev/null."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

leader, follower = pty.openpty()
fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower)
os.close(follower)
while True:
    try:
        data = os.read(leader, 4096)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
child.wait()
