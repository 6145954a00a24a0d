-- The rest of the inputs of a prediction.
ALTER TABLE launch ADD COLUMN context_exchange TEXT;
ALTER TABLE launch ADD COLUMN cuda_graphs INTEGER;
ALTER TABLE launch ADD COLUMN offload TEXT;
