#!/usr/bin/env python3
"""Cuts small slices out of the full block fixtures: slice.py FIXTURES (the folder with quants.json).

TYPE.bin holds packed blocks, TYPE.f32 their exact values (little-endian float32), computed by gguf-py or, where it
lacks the type, by ggml's C library; the blocks are random with edge values of the scales in front. A slice takes
blocks from the front, where the edge values are, and from the middle, where constant bytes are.

PQ2 and PTQ1 are not among those: their files are whole, by the reference program of the prism specification
(63 blocks each, edge values of the scales in front).
"""
import json
import pathlib
import sys

source = pathlib.Path(sys.argv[1])
target = pathlib.Path(__file__).resolve().parent
for entry in json.loads((source / "quants.json").read_text())["types"]:
    name, elements, size = entry["type"], entry["block_elements"], entry["block_bytes"]
    n = entry["blocks"]
    if elements == 1:  # F16, BF16: every 97th value
        chosen = range(0, n, 97)
    else:
        count = max(3, 384 // elements)
        chosen = [*range(count), *range(n // 2, n // 2 + count), *range(n // 2 + 8, n // 2 + 8 + 2)]
    packed = (source / entry["packed"]).read_bytes()
    values = (source / entry["values"]).read_bytes()
    (target / entry["packed"]).write_bytes(b"".join(packed[i * size:(i + 1) * size] for i in chosen))
    (target / entry["values"]).write_bytes(
        b"".join(values[i * elements * 4:(i + 1) * elements * 4] for i in chosen))
