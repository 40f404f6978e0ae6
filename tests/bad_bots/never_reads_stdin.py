"""Never reads what it is told."""
import os, sys, time
sys.stdout.write('ready\n'); sys.stdout.flush(); time.sleep(600)
