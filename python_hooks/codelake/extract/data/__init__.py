"""Which definition reaches which use: data_flow.py over reaching.py and shared_variables.py."""
