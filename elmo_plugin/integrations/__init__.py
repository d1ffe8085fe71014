"""Components for other libraries, each an optional extra."""
