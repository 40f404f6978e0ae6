"""Closes its stdin before it is ready, and answers nothing."""
import os, sys, time
os.close(0); sys.stdout.write('ready\n'); sys.stdout.flush(); time.sleep(600)
