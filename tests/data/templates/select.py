#!/usr/bin/env python3
"""Makes this folder from the shared fixtures: select.py SHARED/oracle/text/templates

Copies the unit cases, five templates as they stand, and half of their renderings.
"""
import json
import pathlib
import shutil
import sys

TEMPLATES = [
    "SmolLM2-135M-Instruct.gguf",
    "Qwen-Qwen3-0.6B",
    "meta-llama-Llama-3.2-3B-Instruct",
    "google-gemma-2-2b-it",
    "mistralai-Mistral-Nemo-Instruct-2407",
]
source = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).parent
shutil.copyfile(source / "jinja-unit.jsonl", here / "jinja-unit.jsonl")
for name in TEMPLATES:
    shutil.copyfile(source / "jinja" / f"{name}.jinja", here / f"{name}.jinja")
kept = 0
with open(here / "cases.jsonl", "w", encoding="ascii") as out:
    for i, line in enumerate(open(source / "cases.jsonl", encoding="utf-8")):
        if json.loads(line)["template"] in TEMPLATES and i % 4 in (0, 3):
            out.write(line)
            kept += 1
print(kept, "renderings")
