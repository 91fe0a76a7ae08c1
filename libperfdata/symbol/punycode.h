/* Punycode: letters of any script, written in ASCII. */
#ifndef PD_SYMBOL_PUNYCODE_H
#define PD_SYMBOL_PUNYCODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Put the characters of s[0..len), at most max, among those of ascii: how
 * many there are then, 0 when it is damaged or too long.
 */
size_t pd_punycode_decode(const char *ascii, size_t ascii_len, const char *s,
    size_t len, uint32_t *chars, size_t max);

#endif
