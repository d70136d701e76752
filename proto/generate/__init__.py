"""The generator of all files that follow from proto/schema: schema.py reads and checks, each other file writes one
target."""
