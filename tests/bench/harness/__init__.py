"""The parts of run.py: inputs, measurements, baselines, and the rows made of them."""
