-- Count one call at the address gate, for functions that store nothing else.
--
-- KEYS   the address gate
-- ARGV   calls allowed a period, the period (ms), now (ms)
-- reply  "" when admitted, the ms to wait when refused
-- billed EVALSHA + 1 for the first call of a period, + 2 for later ones, + 1 when refused
--#include integer number gate

local wait = pass_gate(KEYS[1], number(ARGV[1]), number(ARGV[2]), number(ARGV[3]))
return wait and integer(wait) or ""
