"""Exits before it says anything."""
import os, sys, time
sys.exit('no game today')
