pd-fold --demangle yes
