pd-slice --between a b --scope machine
