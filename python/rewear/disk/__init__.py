"""How long the disk that one has will live, from its SMART logs: `rewear.life()`."""
