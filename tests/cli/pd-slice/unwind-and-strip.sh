pd-slice --unwind --strip-stacks
