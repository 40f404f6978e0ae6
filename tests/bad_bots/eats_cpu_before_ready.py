"""Uses up the CPU of a whole match before it says ready."""
import os, sys, time
while True:
    pass
