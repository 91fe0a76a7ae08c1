pd-fold one two
