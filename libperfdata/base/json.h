/*
 * Writes JSON (RFC 8259), compactly: what it writes is valid UTF-8 and valid
 * JSON, whatever the strings hold.
 */
#ifndef PD_BASE_JSON_H
#define PD_BASE_JSON_H

#include "perfdata.h"

/* Zero but for out is ready.  What fails is found by ferror(out). */
struct pd_json {
	FILE	*out;
	bool	printable;	/* strings as pd_printable() makes them */
	bool	comma;		/* before the next value */
};

/*
 * Every value has the key that it has in its object, or NULL as an element of
 * an array or outside of all.
 */
void pd_json_object(struct pd_json *j, const char *key);
void pd_json_object_end(struct pd_json *j);
void pd_json_array(struct pd_json *j, const char *key);
void pd_json_array_end(struct pd_json *j);

/*
 * Control characters are escaped, also DEL and C1, so that a terminal may show
 * the text; and what ends a <script> or begins a comment there, so that HTML
 * may hold it.  Each byte that is not part of UTF-8 becomes U+FFFD.  Where
 * j->printable, both become '?': who reads the JSON may print it too.  NULL is
 * null.
 */
void pd_json_string(struct pd_json *j, const char *key, const char *s);
/* The same of s[0..len); a NUL in it is a character. */
void pd_json_text(struct pd_json *j, const char *key, const char *s,
    size_t len);

/* In full: who reads numbers as doubles loses what is above 2^53. */
void pd_json_u64(struct pd_json *j, const char *key, uint64_t v);
void pd_json_i64(struct pd_json *j, const char *key, int64_t v);
/*
 * The shortest text that reads back as v, in any locale.  null where JSON has
 * no number: infinities and NaN.
 */
void pd_json_double(struct pd_json *j, const char *key, double v);
/* v / 10^digits, exactly: nanoseconds as seconds or milliseconds. */
void pd_json_decimal(struct pd_json *j, const char *key, uint64_t v,
    unsigned digits);
void pd_json_bool(struct pd_json *j, const char *key, bool v);
/* JSON that was made before. */
void pd_json_raw(struct pd_json *j, const char *key, const char *s,
    size_t len);
void pd_json_null(struct pd_json *j, const char *key);

/* End a line between values that stand by themselves (JSON lines). */
void pd_json_newline(struct pd_json *j);

#endif
