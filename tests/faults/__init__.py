"""What happens to sessions when processes die, replies are lost and stores go away."""
