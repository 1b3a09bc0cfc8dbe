-- Adapters, which of them each conversation uses, and at what strength.

CREATE TABLE adapter (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,                       -- the file, or the folder of a PEFT adapter
    sha256 TEXT NOT NULL UNIQUE,              -- the same adapter is known wherever it lies
    bytes INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('gguf', 'peft', 'gemma', 'rank-one')),
    architecture TEXT NOT NULL DEFAULT '',    -- that it says it is for; empty where the kind does not say
    base_name TEXT NOT NULL DEFAULT '',       -- that it says it was trained on
    base_sha256 TEXT NOT NULL DEFAULT '',     -- the one model file that it is bound to; empty: none
    rank_min INTEGER NOT NULL,
    rank_max INTEGER NOT NULL,
    alpha REAL,
    parameters INTEGER NOT NULL,
    targets TEXT NOT NULL,                    -- JSON: {"attn_q": layers, …}
    warnings TEXT NOT NULL DEFAULT '[]',      -- JSON
    default_scale REAL NOT NULL DEFAULT 1.0,
    note TEXT NOT NULL DEFAULT '',
    forgotten INTEGER NOT NULL DEFAULT 0,     -- kept so that old answers keep its name
    added INTEGER NOT NULL,
    used INTEGER
) STRICT;
CREATE INDEX adapter_path ON adapter(path);

CREATE TABLE conversation_adapter (
    conversation_id INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    adapter_id INTEGER NOT NULL REFERENCES adapter(id) ON DELETE CASCADE,
    scale REAL NOT NULL,
    PRIMARY KEY (conversation_id, adapter_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_adapter_adapter ON conversation_adapter(adapter_id);
