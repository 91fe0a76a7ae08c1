echo 'main;work 5' >out.folded
pd-fold out.folded
