"""Checks of the files that AllenNLP loads.

An archive runs no code, a damaged file is refused by name, and no file of the working directory is
imported unless the user names it.
"""

from elmo_plugin.compat.safety import archive_names, archives, scorers, weights, working_directory
