/*
 * Judges answers.  Codes are those of Connect and of the distributor behind
 * it: a request is answered with one code though it has many profiles, each of
 * which may have been stored or not.
 */
#include <string.h>

#include "push/retry.h"

#define FIRST	500000000ULL		/* ns */
#define LONGEST	60000000000ULL

static bool
says(const struct pd_answer *a, const char *word)
{
	return strstr(a->text, word) != NULL;
}

/* /ingest has one status for all that push refused, timeouts as well. */
static enum pd_verdict
judge_unprocessable(const struct pd_answer *a, enum pd_push_api api)
{
	if (api == PD_PUSH_INGEST && (says(a, "resource_exhausted") ||
	    says(a, "unavailable") || says(a, "deadline_exceeded") ||
	    says(a, "canceled")))
		return PD_RETRY;
	return PD_REJECTED;
}

enum pd_verdict
pd_answer_judge(const struct pd_answer *a, enum pd_push_api api,
    size_t profiles, unsigned tries)
{
	enum pd_verdict apart = profiles > 1 ? PD_SPLIT : PD_REJECTED;

	if (a->unreached)
		return a->hopeless ? PD_REFUSED : PD_RETRY;
	switch (a->status) {
	case 400:
	case 413:
		return apart;
	case 422:
		return judge_unprocessable(a, api);
	case 429:
		/* A body that is too large is an exhausted resource too. */
		if (says(a, "larger than configured max"))
			return apart;
		/*
		 * The limit counts each profile: what is over it together may
		 * be under it one by one.
		 */
		return profiles > 1 && tries > 1 ? PD_SPLIT : PD_RETRY;
	case 500:
		return says(a, "invalid_argument") ? apart : PD_RETRY;
	case 501:
		return PD_REFUSED;
	case 408:
	case 409:
	case 425:
	case 499:
		return PD_RETRY;
	}
	if (a->status >= 500)
		return PD_RETRY;
	/* A page to log in on is no answer, whatever its status. */
	if (a->status >= 200 && a->status < 300 && !a->html)
		return PD_STORED;
	return PD_REFUSED;
}

uint64_t
pd_retry_delay(unsigned failures, uint64_t retry_after, uint64_t random)
{
	uint64_t most = LONGEST, delay;

	if (failures > 0 && failures < 8)
		most = FIRST << (failures - 1);
	if (most > LONGEST)
		most = LONGEST;
	delay = random % (most + 1);
	return delay > retry_after ? delay : retry_after;
}
