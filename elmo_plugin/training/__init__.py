"""What a trainer does beside training."""
