"""Says nothing at all."""
import os, sys, time
time.sleep(600)
