"""What takes memory."""
