"""Solve, play and learn perfect-information games of any number of players."""
