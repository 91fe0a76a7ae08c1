pd-slice --drop-markers
