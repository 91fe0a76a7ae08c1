/*
 * Writes labels.  The rules are those of stackcollapse-perf.pl, so that its
 * users find what they know; man/perfdata.7 says where they differ and why.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/label.h"

int
pd_labels_init(struct pd_labels *l, const struct pd_tree *tree,
    const struct pd_text_opts *opts, struct pd_error *err)
{
	*l = (struct pd_labels){ .tree = tree, .opts = opts };
	return pd_grow_zeroed(&l->by_frame, &l->frames_cap, tree->nframes,
	    sizeof(*l->by_frame), err);
}

void
pd_labels_free(struct pd_labels *l)
{
	free(l->by_frame);
	pd_strtab_free(&l->strs);
	free(l->buf);
}

/*
 * What follows a ' ' and is a number would be taken for the count, and a ';'
 * for the next frame; a control byte could forge a line or drive a terminal.
 */
static void
make_safe(char *s)
{
	pd_printable(s);
	while ((s = strchr(s, ';')) != NULL)
		*s++ = ':';
}

static void
blanks_to_underscores(char *s)
{
	while ((s = strchr(s, ' ')) != NULL)
		*s++ = '_';
}

/* "lib.so" of "/usr/lib/lib.so (deleted)"; *len is its length. */
static const char *
base_name(const char *dso, size_t *len)
{
	static const char deleted[] = " (deleted)";
	const char *slash;
	size_t n = strlen(dso);

	if (n > sizeof(deleted) - 1 &&
	    strcmp(dso + n - (sizeof(deleted) - 1), deleted) == 0)
		n -= sizeof(deleted) - 1;
	slash = memrchr(dso, '/', n);
	if (slash != NULL) {
		n -= (size_t)(slash + 1 - dso);
		dso = slash + 1;
	}
	*len = n;
	return dso;
}

/* "[lib.so]", "[lib.so <7f..>]", "[unknown]" */
static void
put_unknown(struct pd_labels *l, const struct pd_frame *f)
{
	const char *dso = "unknown";
	size_t len = strlen(dso);
	int n;

	if (f->dso != NULL)
		dso = base_name(f->dso, &len);
	n = snprintf(l->buf, l->cap, "[%.*s", (int)len, dso);
	if (f->ip != 0)
		n += snprintf(l->buf + n, l->cap - (size_t)n, " <%" PRIx64 ">",
		    f->ip);
	snprintf(l->buf + n, l->cap - (size_t)n, "]");
}

/* Whether ".(" ... ")." is in s: a Go method such as net/http.(*Client).Do. */
static bool
is_go_method(const char *s)
{
	const char *open = strstr(s, ".(");

	return open != NULL && strstr(open + 2, ").") != NULL;
}

/* What stackcollapse-perf.pl calls tidying, rules 7 and 8 of perfdata(7). */
static void
tidy_as_perl(struct pd_labels *l, char *s)
{
	static const char anon[] = "(anonymous namespace)";
	char *p = s, *out;

	if (!is_go_method(s)) {
		while ((p = strchr(p, '(')) != NULL) {
			if (strncmp(p, anon, sizeof(anon) - 1) != 0) {
				*p = '\0';
				break;
			}
			p++;
		}
	}
	for (p = out = s; *p != '\0'; p++)
		if (*p != '"' && *p != '\'')
			*out++ = *p;
	*out = '\0';
	if (l->java && s[0] == 'L' && strchr(s, '/') != NULL)
		memmove(s, s + 1, strlen(s));
}

/* Perl goes by the name of the module: [vdso] is a kernel, and x.ko is none. */
static bool
is_kernel(const struct pd_text_opts *o, const struct pd_frame *f)
{
	size_t n = f->dso ? strlen(f->dso) : 0;

	if (!o->perl)
		return f->kind == PD_FRAME_KERNEL;
	return n > 0 && strstr(f->dso, "unknown") == NULL &&
	    (f->dso[0] == '[' ||
	    (n >= 7 && strcmp(f->dso + n - 7, "vmlinux") == 0));
}

/* The mark behind a frame: "_[i]" before "_[k]" before "_[j]", or none. */
static const char *
mark_of(const struct pd_text_opts *o, const struct pd_frame *f,
    const char *label)
{
	if (f->inlined && (o->mark_inline || o->perl))
		return strstr(label, "_[i]") ? "" : "_[i]";
	if (o->mark_kernel && is_kernel(o, f))
		return "_[k]";
	if (o->mark_jit && f->kind == PD_FRAME_JIT)
		return strstr(label, "_[j]") ? "" : "_[j]";
	return "";
}

/* ":main.c:12" behind what is in the buffer. */
static void
put_line(struct pd_labels *l, const struct pd_frame *f)
{
	char *end = l->buf + strlen(l->buf);
	const char *base;
	size_t len;

	if (f->file == NULL || l->opts->no_lines)
		return;
	base = base_name(f->file, &len);
	snprintf(end, l->cap - (size_t)(end - l->buf), ":%.*s:%" PRIu32,
	    (int)len, base, f->line);
	make_safe(end);
}

static void
put_frame(struct pd_labels *l, const struct pd_frame *f)
{
	if (f->name != NULL)
		snprintf(l->buf, l->cap, "%s", f->name);
	else
		put_unknown(l, f);
	make_safe(l->buf);
	if (l->opts->perl)
		tidy_as_perl(l, l->buf);
	if (!l->opts->perl)
		put_line(l, f);
	strcat(l->buf, mark_of(l->opts, f, l->buf));
	if (l->opts->perl)
		put_line(l, f);
}

const char *
pd_label(struct pd_labels *l, uint32_t frame, struct pd_error *err)
{
	const struct pd_frame *f = &l->tree->frames[frame];
	/* Brackets, an address, a mark, a line. */
	size_t room = 96 + (f->file ? strlen(f->file) : 0);

	if (frame < l->frames_cap && l->by_frame[frame] != NULL)
		return l->by_frame[frame];
	room += f->name ? strlen(f->name) : f->dso ? strlen(f->dso) : 0;
	if (pd_grow_zeroed(&l->by_frame, &l->frames_cap, (size_t)frame + 1,
	    sizeof(*l->by_frame), err) == -1 ||
	    pd_grow(&l->buf, &l->cap, room, 1, err) == -1)
		return NULL;
	if (f->kind == PD_FRAME_ROOT) {
		snprintf(l->buf, l->cap, "%s", f->name);
		make_safe(l->buf);
		blanks_to_underscores(l->buf);
	} else {
		put_frame(l, f);
	}
	return l->by_frame[frame] = pd_strtab_str(&l->strs, l->buf, err);
}
