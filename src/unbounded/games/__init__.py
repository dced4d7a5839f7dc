"""One game, one file; found by looking, never registered by hand."""
