pd-fold --format jsonl
