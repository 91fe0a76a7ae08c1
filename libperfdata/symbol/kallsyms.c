/* Reads /proc/kallsyms: "ADDRESS TYPE NAME" and, in modules, "\t[MODULE]". */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

#include "symbol/kallsyms.h"

#define MAX_SIZE	(1u << 28)

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number at *p, which moves behind it: false when there is none. */
static bool
get_hex(const char **p, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;
	int d;

	while ((d = hex_digit(*s)) != -1) {
		if (v >> 60 != 0)
			return false;
		v = v << 4 | (unsigned)d;
		s++;
	}
	if (s == *p)
		return false;
	*p = s;
	*out = v;
	return true;
}

/*
 * One line, which ends in NUL.  Types are nm(1)'s: T is text and W weak, in
 * lower case when local.  Sizes are not there at all.
 */
static int
parse_line(struct pd_kallsyms *k, char *line, bool *hidden,
    struct pd_error *err)
{
	const char *p = line;
	char *name, *module, type;
	uint64_t addr;
	uint8_t flags;

	if (!get_hex(&p, &addr) || p[0] != ' ' || p[1] == '\0' || p[2] != ' ')
		return 0;
	if (addr != 0)
		*hidden = false;
	type = p[1];
	if ((type | 0x20) != 't' && (type | 0x20) != 'w')
		return 0;
	name = line + (p - line) + 3;
	module = strchr(name, '\t');
	if (module != NULL)
		*module++ = '\0';
	if (*name == '\0' || *name == '$')	/* $x: ARM mapping symbols */
		return 0;
	flags = type == 'W' ? PD_SYM_WEAK : type == 'T' ? PD_SYM_GLOBAL : 0;
	return pd_symtab_add(k->table, addr, 0, name, module, flags, err);
}

static int
parse(struct pd_kallsyms *k, size_t len, struct pd_error *err)
{
	char *p = k->text, *end = k->text + len, *nl;
	bool hidden = true;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		*nl = '\0';
		if (parse_line(k, p, &hidden, err) == -1)
			return -1;
	}
	if (pd_symtab_pending(k->table) == 0)
		k->why = "no symbols in kallsyms";
	else if (hidden)
		k->why = "kallsyms hides addresses (kptr_restrict)";
	else
		pd_symtab_finish(k->table);
	return 0;
}

int
pd_kallsyms_open(struct pd_kallsyms *k, const char *path,
    struct pd_error *err)
{
	struct stat st;
	size_t len;
	int fd;

	memset(k, 0, sizeof(*k));
	k->table = pd_symtab_new(PD_SYMTAB_KALLSYMS, err);
	if (k->table == NULL)
		return -1;
	fd = pd_file_open(path, true, &st, &k->why);
	if (fd == -1)
		return 0;
	k->text = pd_file_slurp(fd, MAX_SIZE, &len, err);
	close(fd);
	if (k->text == NULL) {
		k->why = "kallsyms cannot be read";
		return err->code == PD_OK ? 0 : -1;
	}
	return parse(k, len, err);
}

void
pd_kallsyms_close(struct pd_kallsyms *k)
{
	pd_symtab_free(k->table);
	free(k->text);
	memset(k, 0, sizeof(*k));
}
