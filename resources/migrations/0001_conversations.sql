-- Conversations as trees of messages, models, settings. Times are milliseconds since 1970, UTC; identifiers are rowids.

PRAGMA application_id = 0x416c636f; -- "Alco": tells the file from another program's

CREATE TABLE model (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    architecture TEXT NOT NULL,
    quantization TEXT NOT NULL,
    file_bytes INTEGER NOT NULL,
    context_trained INTEGER NOT NULL DEFAULT 0,
    sha256 TEXT NOT NULL DEFAULT '',
    runnable INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    added_by_hand INTEGER NOT NULL DEFAULT 0,
    forgotten INTEGER NOT NULL DEFAULT 0,     -- kept so that a scan does not bring it back and old answers keep its name
    loading INTEGER NOT NULL DEFAULT 0,       -- set around a load; left over: the program ended while loading
    load_crashed INTEGER NOT NULL DEFAULT 0,
    added INTEGER NOT NULL,
    used INTEGER,
    modified INTEGER                          -- of the file
) STRICT;

CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL DEFAULT '',
    renamed INTEGER NOT NULL DEFAULT 0,
    model_id INTEGER REFERENCES model(id) ON DELETE SET NULL,
    leaf_id INTEGER REFERENCES message(id) ON DELETE SET NULL, -- end of the chosen path
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    deleted_at INTEGER,                       -- in the trash since
    draft_caret INTEGER NOT NULL DEFAULT 0,
    draft_queued INTEGER NOT NULL DEFAULT 0,  -- to be sent when the running answer has ended
    draft TEXT NOT NULL DEFAULT '',
    system_prompt TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX conversation_list ON conversation(used DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX conversation_trash ON conversation(deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX conversation_leaf ON conversation(leaf_id);
CREATE INDEX conversation_model ON conversation(model_id);

-- No cascade along parent_id: SQLite nests one level per message of a path and stops at 1,000.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    parent_id INTEGER REFERENCES message(id) DEFERRABLE INITIALLY DEFERRED,
    chosen_child_id INTEGER,                  -- the branch chosen last below this message
    role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
    state TEXT NOT NULL CHECK (state IN ('complete', 'writing', 'stopped', 'length', 'context', 'failed', 'interrupted')),
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX message_by_conversation ON message(conversation_id, parent_id);
CREATE INDEX message_by_parent ON message(parent_id);
CREATE INDEX message_writing ON message(state) WHERE state = 'writing';

CREATE TABLE message_part (
    message_id INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type TEXT NOT NULL DEFAULT 'text',
    body TEXT NOT NULL,
    PRIMARY KEY (message_id, position)
) STRICT, WITHOUT ROWID;

-- A growing answer gets one small row per save; finishing moves them to message_part. Only answers that are being written
-- have rows here, so the table stays tiny, needs no index, and a save rewrites little more than its last page.
CREATE TABLE answer_growth (
    id INTEGER PRIMARY KEY,
    message_id INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
    body TEXT NOT NULL
) STRICT;

-- How an answer was made. The model's facts are copied: they stay true when the model is gone.
CREATE TABLE answer_facts (
    message_id INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE,
    model_name TEXT NOT NULL,
    model_sha256 TEXT NOT NULL,
    template_sha256 TEXT NOT NULL,
    adapters TEXT NOT NULL DEFAULT '[]',      -- JSON: [{"sha256","name","scale"}]
    sampling TEXT NOT NULL,                   -- JSON
    seed INTEGER NOT NULL,                    -- bits of an unsigned number
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    generated_tokens INTEGER NOT NULL,
    context_size INTEGER NOT NULL,
    context_used INTEGER NOT NULL,
    prefill_seconds REAL NOT NULL,
    decode_seconds REAL NOT NULL,
    first_token_seconds REAL NOT NULL,
    load_seconds REAL NOT NULL,
    finish TEXT NOT NULL,
    finish_detail TEXT NOT NULL
) STRICT;

CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Full text of every message that is not being written. Trigrams work for languages without spaces and for parts of words.
CREATE VIEW message_text(id, body) AS
    SELECT message_id, body FROM message_part WHERE position = 0 AND type = 'text';
CREATE VIRTUAL TABLE message_search USING fts5(body, content = 'message_text', content_rowid = 'id', tokenize = 'trigram');
