-- Who signs firmware: the maker, of whom only the public key is here, and the portal, whose secret key is sealed.
CREATE TABLE firmware_keys (
    signer     TEXT NOT NULL PRIMARY KEY, -- release or director
    public_key TEXT NOT NULL,
    secret_key BLOB
);

-- Images, named by their SHA-256; in the database, so that every process that serves updates has them.
CREATE TABLE firmware_images (
    sha256 TEXT NOT NULL PRIMARY KEY,
    image  BLOB NOT NULL
);

-- What the maker has published, and how far its roll-out is.
CREATE TABLE firmware_releases (
    id           INTEGER PRIMARY KEY,
    part         TEXT   NOT NULL,
    hardware     TEXT   NOT NULL,
    version      TEXT   NOT NULL,
    seq          BIGINT NOT NULL,
    min_from     TEXT,
    expires_at   BIGINT NOT NULL,
    sha256       TEXT   NOT NULL REFERENCES firmware_images (sha256),
    manifest     TEXT   NOT NULL, -- to the byte as it was signed
    signature    TEXT   NOT NULL,
    notes        TEXT   NOT NULL, -- a JSON object: what is new, by language
    published_at BIGINT NOT NULL,
    state        TEXT   NOT NULL, -- running, paused, stopped or withdrawn
    reason       TEXT,            -- why it is not running
    wave         BIGINT NOT NULL,
    wave_since   BIGINT NOT NULL,
    soak         BIGINT NOT NULL, -- how long a wave lasts at least, in ms
    CONSTRAINT firmware_releases_seq_key UNIQUE (part, hardware, seq),
    CONSTRAINT firmware_releases_version_key UNIQUE (part, hardware, version)
);

-- Updates that somebody has started. The number grows with each update of a system.
CREATE TABLE firmware_jobs (
    id         TEXT   NOT NULL PRIMARY KEY,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    account_id BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    state      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    heard_at   BIGINT, -- when the battery reported last
    ended_at   BIGINT,
    CONSTRAINT firmware_jobs_number_key UNIQUE (sn, number)
);
-- A system has one update at a time.
CREATE UNIQUE INDEX firmware_jobs_open ON firmware_jobs (sn) WHERE state IN ('waiting', 'running', 'interrupted');

-- The parts of an update, in the order in which they are installed.
CREATE TABLE firmware_job_parts (
    job_id       TEXT   NOT NULL REFERENCES firmware_jobs (id) ON DELETE CASCADE,
    place        BIGINT NOT NULL,
    release_id   BIGINT NOT NULL REFERENCES firmware_releases (id),
    part         TEXT   NOT NULL,
    from_version TEXT   NOT NULL,
    version      TEXT   NOT NULL,
    stage        TEXT   NOT NULL,
    progress     BIGINT NOT NULL,
    fault        TEXT,
    ended_at     BIGINT,
    PRIMARY KEY (job_id, place)
);
CREATE INDEX firmware_job_parts_release ON firmware_job_parts (release_id);
