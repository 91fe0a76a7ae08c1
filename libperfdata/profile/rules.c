/* Reads rules. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/rules.h"

struct pd_rules {
	struct pd_rule	*list;
	size_t		len, cap;
};

/* "5%" or "0.05", but not "5", which is hardly meant as 500%. */
static int
parse_fraction(const char *s, double *v)
{
	char *end;

	*v = strtod(s, &end);
	if (end == s || !(*v >= 0) || *v > 1e6)
		return -1;
	if (*end == '%') {
		*v /= 100;
		end++;
	} else if (*v >= 1) {
		return -1;
	}
	return *end == '\0' ? 0 : -1;
}

/*
 * "GLOB ignore" or "GLOB min-effect N%"; the name may have blanks in it, so
 * the line is read from its end.
 */
static int
parse_rule(char *line, struct pd_rule *rule)
{
	static const char ignore[] = "ignore", effect[] = "min-effect";
	char *last = strrchr(line, ' '), *before;

	if (last == NULL)
		return -1;
	*rule = (struct pd_rule){ .glob = line, .min_effect = -1 };
	if (strcmp(last + 1, ignore) == 0) {
		rule->ignore = true;
		before = last;
	} else {
		*last = '\0';
		before = strrchr(line, ' ');
		if (before == NULL || strcmp(before + 1, effect) != 0 ||
		    parse_fraction(last + 1, &rule->min_effect) == -1)
			return -1;
	}
	while (before > line && before[-1] == ' ')
		before--;
	*before = '\0';
	return before == line ? -1 : 0;
}

/* Without a comment, and blanks at both ends; tabs become blanks. */
static char *
trim(char *s)
{
	size_t n = strcspn(s, "\n"), i;

	while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t' ||
	    s[n - 1] == '\r'))
		n--;
	s[n] = '\0';
	for (i = 0; i < n; i++)
		if (s[i] == '\t')
			s[i] = ' ';
	s += strspn(s, " ");
	return *s == '#' ? s + strlen(s) : s;
}

static int
add(struct pd_rules *r, const struct pd_rule *rule, struct pd_error *err)
{
	char *glob = pd_strdup(rule->glob, err);

	if (glob == NULL || pd_grow(&r->list, &r->cap, r->len + 1,
	    sizeof(*r->list), err) == -1) {
		free(glob);
		return -1;
	}
	r->list[r->len] = *rule;
	r->list[r->len++].glob = glob;
	return 0;
}

struct pd_rules *
pd_rules_read(FILE *in, struct pd_error *err)
{
	struct pd_rules *r = pd_calloc(1, sizeof(*r), err);
	struct pd_rule rule;
	char *line = NULL, *s;
	size_t cap = 0, n = 0;

	if (r == NULL)
		return NULL;
	errno = 0;
	while (getline(&line, &cap, in) > 0) {
		n++;
		s = trim(line);
		if (*s == '\0')
			continue;
		if (parse_rule(s, &rule) == -1) {
			pd_fail(err, PD_EARG, PD_NOWHERE, "line %zu: expected "
			    "GLOB ignore, or GLOB min-effect N%%", n);
			goto fail;
		}
		if (add(r, &rule, err) == -1)
			goto fail;
	}
	if (ferror(in) || errno == ENOMEM) {
		pd_fail(err, PD_EIO, PD_NOWHERE, "read");
		goto fail;
	}
	free(line);
	return r;

fail:
	free(line);
	pd_rules_free(r);
	return NULL;
}

void
pd_rules_free(struct pd_rules *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->len; i++)
		free(r->list[i].glob);
	free(r->list);
	free(r);
}

const struct pd_rule *
pd_rules_find(const struct pd_rules *r, const char *name)
{
	size_t i;

	for (i = 0; r != NULL && i < r->len; i++)
		if (fnmatch(r->list[i].glob, name, 0) == 0)
			return &r->list[i];
	return NULL;
}
