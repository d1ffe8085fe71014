"""What a task's score is without a neural network, from the same instances."""
