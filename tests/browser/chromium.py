"""Where Chromium is, and the arguments with which every test starts it."""

import shutil

EXECUTABLE = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""Chromium without windows, if it is there: the tests of five files took 31 s of CPU with it, and 53 s without."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]  # the same letters with windows and without
