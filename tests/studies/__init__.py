"""Studies by simulation, whose results the documentation shows."""
