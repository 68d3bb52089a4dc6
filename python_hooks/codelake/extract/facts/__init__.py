"""What the resolver works on: facts.py, in the vocabulary of fact_ops.py."""
