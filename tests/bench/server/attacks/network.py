"""What keeps the network thread."""
