/* The names of a DSO, from the best file that can be trusted to be it. */
#ifndef PD_SYMBOL_DSOSYMS_H
#define PD_SYMBOL_DSOSYMS_H

#include "session/dso.h"
#include "symbol/debugfile.h"
#include "symbol/symtab.h"

/*
 * What several DSOs take their names from, read once and only when needed:
 * kallsyms for the kernel and its modules, the identity of this kernel.
 * What o points to is borrowed until pd_symsources_free().
 */
struct pd_symsources;

struct pd_symsources *pd_symsources_new(const struct pd_symopts *o,
    struct pd_error *err);
/* After the pd_dsosyms opened with it. */
void pd_symsources_free(struct pd_symsources *src);

/*
 * "[snd_hda]" of "/lib/.../snd-hda.ko.xz", as kallsyms spells it, and perf
 * (dso__set_module_info() of tools/perf/util/dso.c).
 */
#define PD_MODULE_NAME	64
void pd_module_name(const char *dso, char buf[PD_MODULE_NAME]);

struct pd_dsosyms;

/*
 * Find and read the names of a DSO.  NULL only without memory: a DSO without
 * names is an empty table that knows why.  src must outlive the result, dso
 * need not.  Open it when the first address asks for it, once a DSO.
 */
struct pd_dsosyms *pd_dsosyms_open(struct pd_symsources *src,
    const struct pd_dso *dso, struct pd_error *err);
void pd_dsosyms_free(struct pd_dsosyms *s);

/*
 * Why there are no names, for the user: "file not found", "no symbols
 * (stripped)"...; NULL when there are names.  Static text.
 */
const char *pd_dsosyms_why(const struct pd_dsosyms *s);

/* The file that the names are from, or NULL; owned by s. */
const char *pd_dsosyms_path(const struct pd_dsosyms *s);

/*
 * For pd_inlines_open(), if asked for by opts->dwarf: the file with the
 * debug information and its build-id (of size 0 when it has none); owned by
 * s.  NULL: there is none.
 */
const char *pd_dsosyms_dwarf(const struct pd_dsosyms *s,
    const struct pd_buildid **id);

/*
 * The address in that file of what pd_dsosyms_find() calls addr, in a map that
 * starts at map_start: true if it has one.
 */
bool pd_dsosyms_dwarf_addr(const struct pd_dsosyms *s, uint64_t addr,
    uint64_t map_start, uint64_t *dwarf_addr);

/*
 * KERNEL: the recording has the symbol ref_name at ref_addr (perf names the
 * kernel's map "[kernel.kallsyms]_text" and puts the address of _text into
 * its pgoff).  Where the table has it elsewhere (a vmlinux, or a kallsyms of
 * another boot with KASLR), shift later finds by the difference.  ref_addr 0
 * or an unknown symbol change nothing.
 */
void pd_dsosyms_relocate(struct pd_dsosyms *s, const char *ref_name,
    uint64_t ref_addr);

/*
 * The symbol of an address, or NULL.  What addr is depends on the DSO:
 *   FILE, VDSO	an offset in the run-time file, ip - map.start + map.pgoff;
 *   KERNEL, MODULE	the address as recorded.
 * map_start is where the map of a MODULE starts; it is ignored for the other
 * kinds.  start and end of the result are in the address space of the file
 * with the names: use them to tell functions apart, not for offsets.
 */
const struct pd_symbol *pd_dsosyms_find(struct pd_dsosyms *s, uint64_t addr,
    uint64_t map_start);

#endif
