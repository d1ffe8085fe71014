"""Registers all patches, by importing the modules that hold them."""

from elmo_plugin.compat import command_errors, patches, recovery, safety
from elmo_plugin.compat.patching import PATCHES, add_patches

__all__ = ["PATCHES", "add_patches", "command_errors", "patches", "recovery", "safety"]
