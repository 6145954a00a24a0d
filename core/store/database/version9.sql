CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, imported_name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL DEFAULT 'measured', status TEXT NOT NULL DEFAULT 'ok', simulated INTEGER NOT NULL DEFAULT 0,
  gpu_model TEXT NOT NULL DEFAULT '', begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0,
  gpu_count INTEGER NOT NULL DEFAULT 0, node_count INTEGER NOT NULL DEFAULT 0, world_size INTEGER NOT NULL DEFAULT 0);
CREATE TABLE launch(
  run INTEGER PRIMARY KEY, model TEXT, precision TEXT, nodes INTEGER, gpus_per_node INTEGER,
  tensor_parallel INTEGER, pipeline_parallel INTEGER, virtual_pipeline INTEGER, context_parallel INTEGER,
  expert_parallel INTEGER, data_parallel INTEGER, micro_batch INTEGER, global_batch INTEGER,
  sequence_length INTEGER, layers INTEGER, hidden_size INTEGER, recompute INTEGER, overlap INTEGER,
  origin TEXT NOT NULL DEFAULT '', workload TEXT, attention_heads INTEGER, kv_heads INTEGER, head_size INTEGER,
  ffn_size INTEGER, gated_mlp INTEGER, vocabulary INTEGER, tied_embeddings INTEGER, experts INTEGER,
  experts_per_token INTEGER, expert_tensor_parallel INTEGER, rank_order TEXT, stage_layers TEXT, zero_stage INTEGER,
  fsdp INTEGER, sequence_parallel INTEGER, gradient_accumulation INTEGER, recompute_granularity TEXT,
  optimizer TEXT, max_steps INTEGER, generated_tokens INTEGER);
CREATE TABLE cluster(
  run INTEGER PRIMARY KEY, gpu_model TEXT NOT NULL DEFAULT '', nodes INTEGER NOT NULL DEFAULT 0,
  gpus_per_node INTEGER NOT NULL DEFAULT 0, airflow TEXT NOT NULL DEFAULT '', machine TEXT NOT NULL DEFAULT '');
CREATE TABLE gpu(
  run INTEGER NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL, local INTEGER NOT NULL,
  model TEXT NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY(run, rank)) WITHOUT ROWID;
CREATE TABLE source(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
  imported_ns INTEGER NOT NULL, importer TEXT NOT NULL DEFAULT '', report TEXT NOT NULL DEFAULT '{}');
CREATE INDEX source_path ON source(path);
CREATE INDEX source_hash ON source(hash);
CREATE TABLE source_run(
  source INTEGER NOT NULL, run INTEGER NOT NULL, facts TEXT NOT NULL, PRIMARY KEY(source, run)) WITHOUT ROWID;
CREATE INDEX source_run_run ON source_run(run);
CREATE TABLE source_gpu(
  source INTEGER NOT NULL, run INTEGER NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL,
  local INTEGER NOT NULL, model TEXT NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY(source, run, rank)) WITHOUT ROWID;
CREATE TABLE series(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
  kind TEXT NOT NULL, label TEXT NOT NULL, subject TEXT NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL,
  device TEXT NOT NULL, scale REAL NOT NULL, counter_bits INTEGER NOT NULL, sensor TEXT NOT NULL,
  begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0, period_ns INTEGER NOT NULL DEFAULT 0,
  count INTEGER NOT NULL DEFAULT 0, missing INTEGER NOT NULL DEFAULT 0,
  first REAL, last REAL, min REAL, max REAL, mean REAL);
CREATE INDEX series_run ON series(run, metric);
CREATE INDEX series_source ON series(source);
CREATE TABLE track(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, kind TEXT NOT NULL, rank INTEGER NOT NULL,
  device INTEGER NOT NULL, process TEXT NOT NULL, thread TEXT NOT NULL, name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0,
  depth INTEGER NOT NULL DEFAULT 0);
CREATE INDEX track_run ON track(run, rank);
CREATE INDEX track_source ON track(source);
CREATE TABLE iteration(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, number INTEGER NOT NULL,
  rank INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, warmup INTEGER NOT NULL);
CREATE INDEX iteration_run ON iteration(run, begin_ns);
CREATE INDEX iteration_source ON iteration(source);
CREATE TABLE note(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
  text TEXT NOT NULL);
CREATE INDEX note_run ON note(run, begin_ns);
CREATE TABLE summary(
  run INTEGER NOT NULL, key TEXT NOT NULL, value REAL, absent_why TEXT NOT NULL DEFAULT '',
  PRIMARY KEY(run, key)) WITHOUT ROWID;
CREATE TABLE summary_basis(run INTEGER PRIMARY KEY, basis TEXT NOT NULL);
CREATE TABLE name(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX name_hash ON name(hash);

CREATE TABLE source_name(source INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE sample_data(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX sample_data_source ON sample_data(source);
CREATE TABLE sample_chunk(
  series INTEGER NOT NULL, first_index INTEGER NOT NULL, count INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, missing INTEGER NOT NULL, min REAL, max REAL,
  last REAL, weighted_sum REAL, weight_ns INTEGER NOT NULL, values_at INTEGER NOT NULL, values_size INTEGER NOT NULL,
  times_at INTEGER NOT NULL, times_size INTEGER NOT NULL, base_at INTEGER, base_size INTEGER,
  PRIMARY KEY(series, first_index)) WITHOUT ROWID;
CREATE INDEX sample_chunk_time ON sample_chunk(series, begin_ns, first_index);
CREATE TABLE bucket_page(
  series INTEGER NOT NULL, kind INTEGER NOT NULL, level INTEGER NOT NULL, first_index INTEGER NOT NULL,
  count INTEGER NOT NULL, data_at INTEGER NOT NULL, data_size INTEGER NOT NULL,
  PRIMARY KEY(series, kind, level, first_index)) WITHOUT ROWID;

CREATE TABLE span_chunk(
  id INTEGER PRIMARY KEY, track INTEGER NOT NULL, sequence INTEGER NOT NULL, count INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, correlation_min INTEGER NOT NULL, correlation_max INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE UNIQUE INDEX span_chunk_sequence ON span_chunk(track, sequence);
CREATE INDEX span_chunk_time ON span_chunk(track, begin_ns, sequence);
CREATE INDEX span_chunk_correlation ON span_chunk(track, correlation_min, correlation_max, sequence);
CREATE TABLE group_page(
  id INTEGER PRIMARY KEY, track INTEGER NOT NULL, level INTEGER NOT NULL, sequence INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL, names BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX group_page_place ON group_page(track, level, sequence, begin_ns, width_ns);
CREATE TABLE track_name(
  track INTEGER NOT NULL, name INTEGER NOT NULL, count INTEGER NOT NULL, total_ns INTEGER NOT NULL,
  PRIMARY KEY(track, name)) WITHOUT ROWID;
CREATE INDEX track_name_name ON track_name(name, track);

CREATE TABLE comparison(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL,
  created_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL);
CREATE TABLE run_layout(run INTEGER PRIMARY KEY, spec TEXT NOT NULL);
CREATE TABLE run_tag(run INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(run, tag)) WITHOUT ROWID;
CREATE TABLE run_note(run INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE trace_sum(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, kind INTEGER NOT NULL, rank INTEGER NOT NULL,
  place INTEGER NOT NULL, sequence INTEGER NOT NULL, begin_ns INTEGER NOT NULL, since_ns INTEGER NOT NULL,
  sums BLOB NOT NULL, detail BLOB NOT NULL);
CREATE UNIQUE INDEX trace_sum_place ON trace_sum(run, kind, rank, place, sequence, begin_ns, since_ns);
CREATE TABLE trace_sum_basis(run INTEGER PRIMARY KEY, basis INTEGER NOT NULL, names BLOB NOT NULL);
CREATE TABLE run_link(
  source INTEGER PRIMARY KEY, run INTEGER NOT NULL, location TEXT NOT NULL, spec TEXT NOT NULL);
CREATE INDEX run_link_run ON run_link(run);
