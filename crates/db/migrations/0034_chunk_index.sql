-- With all but the body: the newest chunk and the number of samples of a day are found without reading the rows.
DROP INDEX sample_chunks_start;
CREATE UNIQUE INDEX sample_chunks_start ON sample_chunks (sn, starts_at, boot, seq, ends_at, samples);
