-- Further inputs of a prediction: the schedule, hybrid sharding, recomputation of some layers, adapters, power limit and clock.
ALTER TABLE launch ADD COLUMN pipeline_schedule TEXT;
ALTER TABLE launch ADD COLUMN shard_group INTEGER;
ALTER TABLE launch ADD COLUMN recomputed_layers INTEGER;
ALTER TABLE launch ADD COLUMN adapters TEXT;
ALTER TABLE launch ADD COLUMN power_limit_w INTEGER;
ALTER TABLE launch ADD COLUMN locked_clock_mhz INTEGER;
