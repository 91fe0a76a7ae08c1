pd-fold --weight bananas
