"""benchmarks/perplexity.py, and the perplexities that the texts give."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.commands import run_command

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures" / "lm"
