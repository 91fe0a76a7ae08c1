. "$(dirname "$0")/runs.inc"
runs a 1000 1410 690 905 1195 1003
runs b 1100 1552 759 995 1308 1102
pd-diff --fixed-work --pairs a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 a6 b6
