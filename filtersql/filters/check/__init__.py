"""What a resolved filter may hold, read and be."""
