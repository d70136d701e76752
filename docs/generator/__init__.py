"""The parts of docs/build.py: which pages there are, their HTML, their links, the reference, search."""
