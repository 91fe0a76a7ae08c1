/* The queue that puts records into time order: merges the runs it was given. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "record/order.h"

/* Give the room at the front back, which the records taken have left. */
static void
compact(struct pd_order_queue *oq)
{
	if (oq->head == 0)
		return;
	memmove(oq->q, oq->q + oq->head, (oq->len - oq->head) * sizeof(*oq->q));
	oq->len -= oq->head;
	oq->sorted -= oq->head;
	oq->head = 0;
}

int
pd_order_put(struct pd_order_queue *oq, const struct pd_waiting *w,
    uint32_t size, struct pd_error *err)
{
	if (w->time < oq->delivered)
		oq->late++;
	if (w->time > oq->newest)
		oq->newest = w->time;
	oq->bytes += size + PD_ORDER_COST;
	if (w->time <= oq->limit)
		oq->drained = false;
	/* What is complete at once, as a late one is, goes to the front. */
	if (oq->head > 0 && oq->head < oq->len && w->time <= oq->limit &&
	    oq->sorted == oq->len && w->time < oq->q[oq->head].time) {
		oq->q[--oq->head] = *w;
		pd_block_ref(w->block);
		return 0;
	}
	if (oq->len == oq->cap && oq->head >= oq->cap / 2)
		compact(oq);
	if (pd_grow(&oq->q, &oq->cap, oq->len + 1, sizeof(*w), err) == -1)
		return -1;
	if (oq->sorted == oq->len &&
	    (oq->len == oq->head || oq->q[oq->len - 1].time <= w->time))
		oq->sorted++;
	oq->q[oq->len] = *w;
	pd_block_ref(w->block);
	oq->len++;
	return 0;
}

void
pd_order_complete(struct pd_order_queue *oq, uint64_t time)
{
	if (time > oq->limit) {
		oq->limit = time;
		oq->drained = false;
	}
}

void
pd_order_round(struct pd_order_queue *oq)
{
	pd_order_complete(oq, oq->last_round);
	oq->last_round = oq->newest;
}

/* The end of the run that starts at i; a falling run is turned around. */
static size_t
run_end(struct pd_waiting *q, size_t i, size_t len)
{
	struct pd_waiting w;
	size_t end = i + 1, a, b;

	if (end < len && q[end].time < q[i].time) {
		while (end < len && q[end].time < q[end - 1].time)
			end++;
		for (a = i, b = end - 1; a < b; a++, b--) {
			w = q[a];
			q[a] = q[b];
			q[b] = w;
		}
	}
	while (end < len && q[end].time >= q[end - 1].time)
		end++;
	return end;
}

/* The first of q[lo..hi), which is in order, that comes after time. */
static size_t
after(const struct pd_waiting *q, size_t lo, size_t hi, uint64_t time)
{
	size_t mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (q[mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Merge q[a..b) and q[b..c), keeping the order of equal times.  Only what is
 * in the other's way moves, and the shorter of the two through tmp.
 */
static int
merge(struct pd_order_queue *oq, size_t a, size_t b, size_t c,
    struct pd_error *err)
{
	struct pd_waiting *q = oq->q, *tmp;
	size_t n, i, at;

	if (a == b || b == c)
		return 0;
	a = after(q, a, b, q[b].time);
	/* Of the second, what is not before the last of the first stays. */
	if (a < b && q[b - 1].time != 0)
		c = after(q, b, c, q[b - 1].time - 1);
	n = b - a < c - b ? b - a : c - b;
	if (pd_grow(&oq->tmp, &oq->tmp_cap, n, sizeof(*tmp), err) == -1)
		return -1;
	tmp = oq->tmp;
	if (n == b - a) {		/* forwards, the first in tmp */
		memcpy(tmp, q + a, n * sizeof(*q));
		for (i = 0, at = a; i < n && b < c;)
			q[at++] = q[b].time < tmp[i].time ? q[b++] : tmp[i++];
		memcpy(q + at, tmp + i, (n - i) * sizeof(*q));
	} else {			/* backwards, the second in tmp */
		memcpy(tmp, q + b, n * sizeof(*q));
		for (i = n, at = c; i > 0 && b > a;)
			q[--at] = q[b - 1].time > tmp[i - 1].time ? q[--b] :
			    tmp[--i];
		memcpy(q + at - i, tmp, i * sizeof(*q));
	}
	return 0;
}

/*
 * Sort q[from..len) as a balanced merge of the runs that are there: n log k
 * for k runs, n when it is in order.  *end is the end of the part sorted,
 * which covers at least 2^level runs or all.
 */
static int
sort_runs(struct pd_order_queue *oq, size_t from, int level, size_t *end,
    struct pd_error *err)
{
	size_t mid;

	if (level == 0) {
		*end = run_end(oq->q, from, oq->len);
		return 0;
	}
	if (sort_runs(oq, from, level - 1, &mid, err) == -1)
		return -1;
	*end = mid;
	if (mid == oq->len)
		return 0;
	if (sort_runs(oq, mid, level - 1, end, err) == -1)
		return -1;
	return merge(oq, from, mid, *end, err);
}

static int
sort(struct pd_order_queue *oq, struct pd_error *err)
{
	size_t end, next;
	int level = 0;

	for (end = oq->sorted; end < oq->len; end = next, level++)
		if (sort_runs(oq, end, level, &next, err) == -1 ||
		    merge(oq, oq->head, end, next, err) == -1)
			return -1;
	oq->sorted = oq->len;
	return 0;
}

/* Too much waits: the earlier half goes, in whatever order it can. */
static int
give_way(struct pd_order_queue *oq, struct pd_error *err)
{
	if (sort(oq, err) == -1)
		return -1;
	pd_order_complete(oq, oq->q[oq->head + (oq->len - oq->head) / 2].time);
	oq->forced++;
	return 0;
}

int
pd_order_take(struct pd_order_queue *oq, struct pd_waiting *w,
    struct pd_error *err)
{
	if (oq->head == oq->len)
		return 0;
	if (oq->bytes > PD_ORDER_MAX_BYTES && oq->drained &&
	    give_way(oq, err) == -1)
		return -1;
	if (oq->drained)
		return 0;
	if (sort(oq, err) == -1)
		return -1;
	if (oq->q[oq->head].time > oq->limit) {
		oq->drained = true;
		return 0;
	}
	*w = oq->q[oq->head++];
	oq->bytes -= pd_load_u16(w->data + 6, oq->swapped) + PD_ORDER_COST;
	oq->delivered = w->time;
	return 1;
}

void
pd_order_free(struct pd_order_queue *oq)
{
	for (; oq->head < oq->len; oq->head++)
		pd_block_unref(oq->q[oq->head].block);
	free(oq->q);
	free(oq->tmp);
	*oq = (struct pd_order_queue){ 0 };
}
