"""Is not Python."""
import os, sys, time
def (:
