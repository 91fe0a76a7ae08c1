/* The options that say where names of functions come from. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void
add_path_map(const struct cli *c, const char *arg, struct pd_stack_opts *opts)
{
	static struct pd_path_map maps[16];
	struct pd_path_map *m = &maps[opts->npath_maps];
	char *eq = strchr(arg, '=');

	if (arg[0] != '/' || eq == NULL || eq[1] == '\0')
		cli_bad_value(c, "path-map", arg, "/FROM=TO");
	if (opts->npath_maps == sizeof(maps) / sizeof(maps[0]))
		cli_bad_value(c, "path-map", arg, "at most 16 of them");
	*eq = '\0';
	*m = (struct pd_path_map){ arg, eq + 1 };
	opts->path_maps = maps;
	opts->npath_maps++;
}

/* libdebuginfod has its servers from the environment. */
static void
use_debuginfod(const char *urls, struct pd_stack_opts *opts,
    struct cli_progress *progress)
{
	opts->debuginfod = true;
	opts->downloading = cli_progress_download;
	opts->downloading_ctx = progress;
	if (urls != NULL)
		setenv("DEBUGINFOD_URLS", urls, 1);
}

bool
cli_symbols(const struct cli *c, int key, const char *arg,
    struct pd_stack_opts *opts, struct cli_progress *progress)
{
	switch (key) {
	case CLI_NO_INLINE: opts->no_inline = true; break;
	case CLI_DEMANGLE:
		opts->demangle = cli_choice(c, "demangle", arg,
		    "short|full|none");
		break;
	case CLI_KALLSYMS:
		opts->kallsyms = cli_readable(c, "kallsyms", arg);
		break;
	case CLI_VMLINUX:
		opts->vmlinux = cli_readable(c, "vmlinux", arg);
		break;
	case CLI_SYMFS: opts->symfs = arg; break;
	case CLI_PATH_MAP: add_path_map(c, arg, opts); break;
	case CLI_BUILDID_DIR: opts->buildid_dir = arg; break;
	case CLI_ARCHIVE:
		opts->archive = cli_readable(c, "archive", arg);
		break;
	case CLI_DEBUGINFOD: use_debuginfod(arg, opts, progress); break;
	default: return false;
	}
	return true;
}
