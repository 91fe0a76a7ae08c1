pd-slice --between a b --before 1ms
