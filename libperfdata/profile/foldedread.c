/*
 * Reads folded stacks, "root;...;leaf COUNT", into a tree and a profile.
 *
 * Neighbouring lines mostly begin with the same frames, sorted or not: what a
 * line has in common with the one before is not looked at again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/foldedread.h"
#include "profile/profile.h"
#include "profile/run.h"

#define BLOCK		((size_t)128 * 1024)
#define MAX_LINE	((size_t)16 * 1024 * 1024)
#define MAX_FRAMES	65536

/* A frame of the line before: where its text ends, and the stack up to it. */
struct pd_place {
	uint32_t	end, node;
};

struct parser {
	struct pd_stack_parser	*stacks;
	pd_stack_fn		add;
	void			*ctx;
	struct pd_run		*run;
	uint64_t		total;
	uint64_t		line;		/* its number */
};

static int
bad_line(const struct parser *p, const char *what, struct pd_error *err)
{
	return pd_fail(err, PD_EFORMAT, PD_NOWHERE, "line %" PRIu64 ": %s",
	    p->line, what);
}

/*
 * Take the count off the end of s[0..*len), and the blanks before it.  Tools
 * that scale counts write fractions; here they would be rounded in silence.
 */
static int
take_count(const struct parser *p, const char *s, size_t *len,
    uint64_t *count, struct pd_error *err)
{
	size_t at = *len, i;
	uint64_t v = 0;

	while (at > 0 && s[at - 1] != ' ' && s[at - 1] != '\t')
		at--;
	if (at == *len || at == 0)
		return bad_line(p, "no count at the end", err);
	for (i = at; i < *len; i++) {
		if (s[i] == '-' && i == at)
			return bad_line(p, "the count is negative", err);
		if (s[i] < '0' || s[i] > '9')
			return bad_line(p, "the count is not a whole number",
			    err);
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v) ||
		    v > INT64_MAX)
			return bad_line(p, "the count is too large", err);
	}
	while (at > 0 && (s[at - 1] == ' ' || s[at - 1] == '\t'))
		at--;
	*len = at;
	*count = v;
	return 0;
}

/* How many of the first n bytes of a and b are equal. */
static size_t
common(const char *a, const char *b, size_t n)
{
	uint64_t x, y;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* The tree's frame of a name. */
static uint32_t
frame_of(struct pd_stack_parser *p, const char *name, size_t len, struct pd_error *err)
{
	uint32_t id = pd_strtab_add(&p->names, name, len, err);
	struct pd_frame f = { .kind = PD_FRAME_USER };

	if (id == PD_NOID || id < p->nframes)
		return id == PD_NOID ? PD_NOID : p->frames[id];
	f.name = pd_strtab_get(&p->names, id);
	if (pd_grow(&p->frames, &p->frames_cap, p->nframes + 1,
	    sizeof(*p->frames), err) == -1)
		return PD_NOID;
	id = p->frame ? p->frame(p->ctx, f.name, err) :
	    pd_tree_add_frame(p->tree, &f, err);
	return id == PD_NOID ? PD_NOID : (p->frames[p->nframes++] = id);
}

/* Add the frames of s[at..len) below the places that are left. */
static int
add_frames(struct pd_stack_parser *p, const char *s, size_t at, size_t len,
    struct pd_error *err)
{
	uint32_t node = p->depth ? p->places[p->depth - 1].node : 0, frame;
	const char *end;
	size_t n;

	for (; at <= len; at += n + 1) {
		end = memchr(s + at, ';', len - at);
		n = end ? (size_t)(end - s) - at : len - at;
		if (n == 0)
			return pd_fail(err, PD_EFORMAT, PD_NOWHERE, "%s",
			    len == 0 ? "no stack" : "an empty frame");
		if (p->depth == MAX_FRAMES)
			return pd_fail(err, PD_EFORMAT, PD_NOWHERE,
			    "more than %d frames", MAX_FRAMES);
		frame = frame_of(p, s + at, n, err);
		if (frame == PD_NOID || (node = pd_tree_child(p->tree, node,
		    frame, err)) == PD_NOID || pd_grow(&p->places,
		    &p->places_cap, p->depth + 1, sizeof(*p->places), err))
			return -1;
		p->places[p->depth++] = (struct pd_place){
		    (uint32_t)(at + n), node };
	}
	return 0;
}

uint32_t
pd_stack_parse(struct pd_stack_parser *p, const char *s, size_t len,
    struct pd_error *err)
{
	size_t same = common(s, p->last, len < p->last_len ? len : p->last_len);
	size_t end = 0;

	for (; p->depth > 0; p->depth--) {
		end = p->places[p->depth - 1].end;
		if (end <= same && (end == len || s[end] == ';'))
			break;
	}
	if (pd_grow(&p->last, &p->last_cap, len + 1, 1, err) == -1)
		return PD_NOID;
	memcpy(p->last + same, s + same, len - same);
	p->last_len = len;
	return add_frames(p, s, p->depth ? end + 1 : 0, len, err) == -1 ?
	    PD_NOID : p->places[p->depth - 1].node;
}

void
pd_stack_parser_free(struct pd_stack_parser *p)
{
	pd_strtab_free(&p->names);
	free(p->frames);
	free(p->places);
	free(p->last);
}

/* "# words", but not "# 12": that is a thread whose name is '#'. */
static bool
is_comment(const char *s, size_t len)
{
	size_t i = 2;

	if (len == 0 || s[0] != '#' || (len > 1 && s[1] != ' '))
		return false;
	while (i < len && s[i] >= '0' && s[i] <= '9')
		i++;
	return i < len || len <= 2;
}

static int
read_line(struct parser *p, const char *s, size_t len, struct pd_error *err)
{
	uint64_t count = 0;
	struct pd_error why;
	uint32_t node;
	bool known;

	p->line++;
	if (len > 0 && s[len - 1] == '\r')
		return bad_line(p, "ends in CR LF, not LF (tr -d '\\r' helps)",
		    err);
	if (memchr(s, '\0', len) != NULL)
		return bad_line(p, "has a NUL byte: not folded stacks", err);
	if (is_comment(s, len)) {
		known = p->run->known;
		p->run->known = false;
		if (pd_run_parse(p->run, s, len, err) == -1)
			return -1;
		if (known && p->run->known)
			return bad_line(p, "a second run begins: a file is one "
			    "run", err);
		p->run->known |= known;
		return 0;
	}
	if (take_count(p, s, &len, &count, err) == -1)
		return -1;
	node = pd_stack_parse(p->stacks, s, len, &why);
	if (node == PD_NOID) {
		*err = why;
		return why.code == PD_EFORMAT ? bad_line(p, why.msg, err) : -1;
	}
	if (count > INT64_MAX - p->total)
		return bad_line(p, "the counts add up to more than 2^63", err);
	p->total += count;
	return count == 0 ? 0 : p->add(p->ctx, node, count, err);
}

/* Whole lines of buf[0..len), and at the end the last: what was used. */
static int
read_lines(struct parser *p, const char *buf, size_t len, bool end,
    size_t *used, struct pd_error *err)
{
	const char *nl;
	size_t n;

	for (*used = 0; *used < len; *used += n + 1) {
		nl = memchr(buf + *used, '\n', len - *used);
		if (nl == NULL && !end)
			return 0;
		n = nl ? (size_t)(nl - buf) - *used : len - *used;
		if (read_line(p, buf + *used, n, err) == -1)
			return -1;
	}
	return 0;
}

static int
read_all(struct parser *p, int fd, struct pd_error *err)
{
	size_t cap = 0, have = 0, used;
	char *buf = NULL;
	ssize_t n;
	int r = -1;

	do {
		if (have >= MAX_LINE) {
			p->line++;
			bad_line(p, "longer than 16 MiB: not folded stacks",
			    err);
			break;
		}
		if (pd_grow(&buf, &cap, have + BLOCK, 1, err) == -1)
			break;
		do {
			n = read(fd, buf + have, cap - have);
		} while (n < 0 && errno == EINTR);
		if (n < 0) {
			pd_fail(err, PD_EIO, PD_NOWHERE, "read");
			break;
		}
		have += (size_t)n;
		if ((r = read_lines(p, buf, have, n == 0, &used, err)) == -1)
			break;
		if (n > 0) {
			memmove(buf, buf + used, have - used);
			have -= used;
			r = -1;
		}
	} while (n > 0);
	free(buf);
	return r;
}

int
pd_folded_parse(int fd, struct pd_stack_parser *stacks, pd_stack_fn add,
    void *ctx, struct pd_run *run, struct pd_error *err)
{
	struct parser p = { .stacks = stacks, .add = add, .ctx = ctx,
		.run = run };

	pd_run_init(run);
	if (read_all(&p, fd, err) == -1)
		return -1;
	return p.total > 0 ? 0 : pd_fail(err, PD_EFORMAT, PD_NOWHERE,
	    p.line == 0 ? "the input is empty" : "no samples");
}

static int
add_to_profile(void *ctx, uint32_t node, uint64_t count, struct pd_error *err)
{
	return pd_profile_add_many(ctx, node, count, count, err);
}

int
pd_folded_read(int fd, struct pd_tree *tree, struct pd_profile *p,
    struct pd_run *run, struct pd_error *err)
{
	struct pd_stack_parser stacks = { .tree = tree };
	size_t i;
	int r = pd_folded_parse(fd, &stacks, add_to_profile, p, run, err);

	pd_stack_parser_free(&stacks);
	if (r == -1 || !pd_run_has_samples(run))
		return r;
	for (i = 0; i < p->len; i++)
		p->tallies[i].samples = pd_run_samples(run, p->weight,
		    p->tallies[i].weight);
	p->samples = run->samples;
	return 0;
}
