/* Fills a struct pd_error. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

int
pd_fail(struct pd_error *err, enum pd_errc code, uint64_t offset,
    const char *fmt, ...)
{
	int sys = errno;
	va_list ap;
	size_t n;

	err->code = code;
	err->sys = code == PD_EIO ? sys : 0;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	if (code == PD_EIO)
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s",
		    strerror(sys));
	pd_printable(err->msg);
	return -1;
}

int
pd_fail_nomem(struct pd_error *err)
{
	return pd_fail(err, PD_ENOMEM, PD_NOWHERE, "out of memory");
}
