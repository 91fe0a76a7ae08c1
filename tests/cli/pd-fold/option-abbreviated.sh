pd-fold --ver
