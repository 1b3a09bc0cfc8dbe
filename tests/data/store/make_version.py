#!/usr/bin/env python3
"""Makes version-N.db: a database as the program of schema version N leaves it, with a row of every kind.

    python3 make_version.py N        (run once, when version N is released; the file is then kept as it is)
"""
import pathlib
import sqlite3
import sys

version = int(sys.argv[1])
here = pathlib.Path(__file__).resolve().parent
migrations = sorted((here / "../../../resources/migrations").glob("*.sql"))
target = here / f"version-{version}.db"
target.unlink(missing_ok=True)
db = sqlite3.connect(target)
db.executescript("PRAGMA page_size = 1024;")
for migration in migrations[:version]:
    db.executescript(migration.read_text())
    db.execute(f"PRAGMA user_version = {int(migration.name[:4])}")
db.executescript("""
    PRAGMA foreign_keys = ON;
    INSERT INTO model (id, path, name, architecture, quantization, file_bytes, runnable, added)
        VALUES (1, '/models/small.gguf', 'Small', 'llama', 'Q4_1', 1000, 1, 1700000000000);
    INSERT INTO conversation (id, title, model_id, created, used, draft)
        VALUES (1, 'B-trees', 1, 1700000000000, 1700000001000, 'and then');
    INSERT INTO message (id, conversation_id, parent_id, role, state, created)
        VALUES (1, 1, NULL, 'user', 'complete', 1700000000000), (2, 1, 1, 'assistant', 'complete', 1700000000500),
               (3, 1, 1, 'assistant', 'writing', 1700000000900);
    INSERT INTO message_part (message_id, position, body)
        VALUES (1, 0, 'Explain B-trees'), (2, 0, 'A library with signs'), (3, 0, 'Imagine ');
    INSERT INTO answer_growth (message_id, body) VALUES (3, 'a '), (3, 'shelf');
    INSERT INTO answer_facts (message_id, model_name, model_sha256, template_sha256, sampling, seed, prompt_tokens,
        cached_tokens, generated_tokens, context_size, context_used, prefill_seconds, decode_seconds,
        first_token_seconds, load_seconds, finish, finish_detail)
        VALUES (2, 'Small', '', '', '{"temperature":0.8}', 42, 10, 0, 5, 4096, 15, 0.1, 0.2, 0.15, 0.3, 'stop', '');
    UPDATE conversation SET leaf_id = 3;
    INSERT INTO message_search (rowid, body) SELECT id, body FROM message_text WHERE id < 3;
    INSERT INTO setting VALUES ('engine/threads', '2');
""")
db.commit()
db.execute("VACUUM")
db.close()
