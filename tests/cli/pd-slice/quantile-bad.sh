pd-slice --between a b --quantile 99%
