pd-slice --every 1s --each parts --keep-state all
