-- Stretches of ranks that a profiler recorded (Capture.h).
CREATE TABLE capture(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL,
  rank INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL);
CREATE INDEX capture_run ON capture(run, rank, begin_ns);
CREATE INDEX capture_source ON capture(source);
