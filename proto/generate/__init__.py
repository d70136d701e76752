"""The generator of what follows from proto/schema: schema.py reads and checks, each other file writes one target."""
