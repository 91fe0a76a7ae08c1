/*
 * Unwinds the copied stacks of samples.  What CFI says of an address is found
 * once and kept as a rule, so that a frame mostly costs one look into a hash
 * table and a few loads from the copied bytes.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/intern.h"
#include "record/event.h"
#include "unwind/cfi.h"
#include "unwind/expr.h"

#include "unwind/unwind.h"

#define REGS_ABI_64	2	/* enum perf_sample_regs_abi */

/* A register that is not as it was in the caller. */
struct saved {
	uint8_t		reg;
	uint8_t		how;	/* enum pd_cfi_how */
	uint8_t		from;	/* REGISTER */
	int32_t		value;	/* offset from the CFA, or an expression */
};

struct expr {
	const uint8_t	*bytes;	/* in the image of its DSO */
	size_t		size;
};

enum rule_kind {
	RULE_CHAIN,		/* no CFI: perhaps it keeps a frame pointer */
	RULE_NOWHERE,		/* no code is mapped here */
	RULE_CFI,
	RULE_CFI_EXPR,		/* the CFA is an expression */
	RULE_PLT,		/* a stub that has not touched the stack */
	RULE_SIGFRAME,		/* arm64: the kernel's frame of a signal */
	RULE_OUTERMOST,		/* it has no caller */
};

struct rule {
	uint8_t		kind;
	uint8_t		cfa_reg;
	uint8_t		ra;	/* the register with the return address */
	uint8_t		nsaved;
	bool		signal;	/* the caller was interrupted, not called */
	int32_t		cfa;	/* offset from cfa_reg, or an expression */
	uint32_t	saved;	/* place of the first in u->saved */
};

struct module {
	bool		opened;
	struct pd_image	image;
	struct pd_cfi	*cfi;		/* NULL: it has none */
	struct pd_map64	rules;		/* by address in the file */
};

struct pd_unwinder {
	struct pd_session	*session;
	struct pd_unwind_files	files;
	const struct pd_arch	*arch;		/* of ev */
	const struct pd_event	*ev;
	struct module		*modules;	/* by dso->id */
	size_t			modules_cap;
	/* The first two are RULE_CHAIN and RULE_NOWHERE. */
	struct rule		*rules;
	size_t			nrules, rules_cap;
	struct pd_strtab	jit_keys;	/* struct jit_key -> id */
	uint32_t		*jit_rules;	/* by id */
	size_t			jit_cap;
	struct saved		*saved;
	size_t			nsaved, saved_cap;
	struct expr		*exprs;
	size_t			nexprs, exprs_cap;
};

static uint32_t
add_rule(struct pd_unwinder *u, const struct rule *r, struct pd_error *err)
{
	if (pd_grow(&u->rules, &u->rules_cap, u->nrules + 1,
	    sizeof(*u->rules), err) == -1)
		return PD_NOID;
	u->rules[u->nrules] = *r;
	return (uint32_t)u->nrules++;
}

struct pd_unwinder *
pd_unwinder_new(struct pd_session *s, const struct pd_unwind_files *files,
    struct pd_error *err)
{
	struct pd_unwinder *u = pd_calloc(1, sizeof(*u), err);

	if (u == NULL)
		return NULL;
	u->session = s;
	u->files = *files;
	if (add_rule(u, &(struct rule){ .kind = RULE_CHAIN }, err) ==
	    RULE_CHAIN && add_rule(u, &(struct rule){ .kind = RULE_NOWHERE },
	    err) == RULE_NOWHERE)
		return u;
	pd_unwinder_free(u);
	return NULL;
}

void
pd_unwinder_free(struct pd_unwinder *u)
{
	size_t i;

	if (u == NULL)
		return;
	for (i = 0; i < u->modules_cap; i++) {
		pd_cfi_free(u->modules[i].cfi);
		pd_image_free(&u->modules[i].image);
		pd_map64_free(&u->modules[i].rules);
	}
	free(u->modules);
	pd_strtab_free(&u->jit_keys);
	free(u->jit_rules);
	free(u->rules);
	free(u->saved);
	free(u->exprs);
	free(u);
}

/* ---- rules ------------------------------------------------------------------- */

static int
add_expr(struct pd_unwinder *u, const struct pd_cfi_rule *r, int32_t *value,
    struct pd_error *err)
{
	if (pd_grow(&u->exprs, &u->exprs_cap, u->nexprs + 1,
	    sizeof(*u->exprs), err) == -1)
		return -1;
	u->exprs[u->nexprs] = (struct expr){ r->expr, r->n };
	*value = (int32_t)u->nexprs++;
	return 0;
}

/* Keep what CFI says of a register, if it is not what is true anyway. */
static int
add_saved(struct pd_unwinder *u, struct rule *rule, size_t reg,
    const struct pd_cfi_rule *r, struct pd_error *err)
{
	struct saved s = { (uint8_t)reg, (uint8_t)r->how, (uint8_t)r->n,
		(int32_t)r->value };

	switch (r->how) {
	case PD_CFI_UNSET:
	case PD_CFI_SAME: return 0;
	case PD_CFI_UNDEFINED: break;
	case PD_CFI_SAVED:
	case PD_CFI_OFFSET:
		if (s.value != r->value)	/* no frame has 2 GB */
			s.how = PD_CFI_UNDEFINED;
		break;
	case PD_CFI_REGISTER: break;
	case PD_CFI_AT_EXPR:
	case PD_CFI_EXPR:
		if (add_expr(u, r, &s.value, err) == -1)
			return -1;
		break;
	}
	if (pd_grow(&u->saved, &u->saved_cap, u->nsaved + 1,
	    sizeof(*u->saved), err) == -1)
		return -1;
	u->saved[u->nsaved++] = s;
	rule->nsaved++;
	return 0;
}

/*
 * The vdso of arm64 describes its trampoline by the frame record that links to
 * the interrupted code, which loses the program counter there, and says that
 * unwinders know better (arch/arm64/kernel/vdso/sigreturn.S).
 */
static bool
is_arm64_trampoline(const struct pd_unwinder *u, const struct pd_cfi_row *row)
{
	return u->arch->machine == EM_AARCH64 && row->signal &&
	    row->cfa.how == PD_CFI_OFFSET && row->cfa.n == u->arch->fp &&
	    row->cfa.value == 0 &&
	    row->regs[u->arch->link].how == PD_CFI_SAVED &&
	    row->regs[u->arch->link].value == 8;
}

static int
rule_of_row(struct pd_unwinder *u, const struct pd_cfi_row *row,
    struct rule *rule, struct pd_error *err)
{
	size_t i;

	if (row->regs[row->ra].how == PD_CFI_UNDEFINED) {
		rule->kind = RULE_OUTERMOST;
		return 0;
	}
	rule->ra = row->ra;
	rule->signal = row->signal;
	if (is_arm64_trampoline(u, row)) {
		rule->kind = RULE_SIGFRAME;
		return 0;
	}
	rule->saved = (uint32_t)u->nsaved;
	rule->cfa_reg = (uint8_t)row->cfa.n;
	rule->cfa = (int32_t)row->cfa.value;
	if (row->cfa.how == PD_CFI_EXPR) {
		rule->kind = RULE_CFI_EXPR;
		if (add_expr(u, &row->cfa, &rule->cfa, err) == -1)
			return -1;
	} else if (row->cfa.how == PD_CFI_OFFSET &&
	    rule->cfa == row->cfa.value) {
		rule->kind = RULE_CFI;
	} else {
		return 0;
	}
	for (i = 0; i < u->arch->nregs; i++)
		if (add_saved(u, rule, i, &row->regs[i], err) == -1)
			return -1;
	return 0;
}

static struct module *
module_of(struct pd_unwinder *u, const struct pd_dso *dso,
    struct pd_error *err)
{
	struct module *m;

	if (pd_grow_zeroed(&u->modules, &u->modules_cap, dso->id + 1,
	    sizeof(*u->modules), err) == -1)
		return NULL;
	m = &u->modules[dso->id];
	if (m->opened)
		return m;
	if (u->files.read(u->files.ctx, dso, &m->image, err) == -1 ||
	    (m->image.machine == u->arch->machine && m->image.is64 &&
	    (m->cfi = pd_cfi_new(&m->image, err)) == NULL)) {
		pd_image_free(&m->image);
		return NULL;
	}
	m->opened = true;
	return m;
}

/* The rule of an address of a file; PD_NOID without memory. */
static uint32_t
rule_of_file(struct pd_unwinder *u, struct module *m, uint64_t addr,
    struct pd_error *err)
{
	struct rule rule = { .kind = RULE_CHAIN };
	uint32_t i = pd_map64_find(&m->rules, addr);
	struct pd_cfi_row row;

	if (i != PD_NOID)
		return i;
	if (m->cfi != NULL && pd_cfi_find(m->cfi, addr, &row)) {
		if (rule_of_row(u, &row, &rule, err) == -1)
			return PD_NOID;
	} else if (pd_image_is_plt(&m->image, addr)) {
		rule.kind = RULE_PLT;
	}
	i = add_rule(u, &rule, err);
	if (i != PD_NOID && pd_map64_put(&m->rules, addr, i, err) == -1)
		return PD_NOID;
	return i;
}

/* Code that others replace at the same address has a rule for each. */
struct jit_key {
	const struct pd_cfi	*cfi;
	uint64_t		ip;
};

/* The rule of JIT code with CFI; RULE_CHAIN where that says nothing. */
static uint32_t
rule_of_jit(struct pd_unwinder *u, struct pd_cfi *cfi, uint64_t ip,
    struct pd_error *err)
{
	struct jit_key key = { cfi, ip };
	struct rule rule = { .kind = RULE_CHAIN };
	uint32_t known = (uint32_t)u->jit_keys.len, id;
	struct pd_cfi_row row;

	id = pd_strtab_add(&u->jit_keys, (const char *)&key, sizeof(key), err);
	if (id == PD_NOID || id < known)
		return id == PD_NOID ? id : u->jit_rules[id];
	if (pd_grow(&u->jit_rules, &u->jit_cap, id + 1, sizeof(*u->jit_rules),
	    err) == -1 || (pd_cfi_find(cfi, ip, &row) &&
	    rule_of_row(u, &row, &rule, err) == -1))
		return PD_NOID;
	return u->jit_rules[id] = rule.kind == RULE_CHAIN ? RULE_CHAIN :
	    add_rule(u, &rule, err);
}

/* The rule of an address of a process that its space does not know yet. */
static uint32_t
find_new(struct pd_unwinder *u, struct pd_space *sp, uint64_t ip,
    struct pd_error *err)
{
	const struct pd_map *map = pd_space_find(sp, ip);
	struct pd_cfi *cfi = NULL;
	struct module *m;
	uint64_t addr;
	uint32_t i;

	if (map != NULL && !map->data && (map->dso->kind == PD_DSO_FILE ||
	    map->dso->kind == PD_DSO_VDSO)) {
		if ((m = module_of(u, map->dso, err)) == NULL)
			return PD_NOID;
		if (pd_image_addr(&m->image, ip - map->start + map->pgoff,
		    &addr)) {
			i = rule_of_file(u, m, addr, err);
			goto put;
		}
	}
	if (sp->njits > 0 && u->files.jit != NULL &&
	    u->files.jit(u->files.jit_ctx, sp, ip, &cfi, err) == -1)
		return PD_NOID;
	i = cfi != NULL ? rule_of_jit(u, cfi, ip, err) :
	    map != NULL && !map->data ? RULE_CHAIN : RULE_NOWHERE;
put:
	if (i != PD_NOID && pd_map64_put(&sp->rules, ip, i, err) == -1)
		return PD_NOID;
	return i;
}

static inline uint32_t
find_rule(struct pd_unwinder *u, struct pd_space *sp, uint64_t ip,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&sp->rules, ip);

	return i != PD_NOID ? i : find_new(u, sp, ip, err);
}

/* ---- steps ------------------------------------------------------------------- */

/* One unwinding: where it is. */
struct walk {
	struct pd_unwinder	*u;
	const struct pd_arch	*arch;
	struct pd_space		*space;
	struct pd_stack_copy	stack;
	struct pd_regs		regs;
	uint64_t		code;	/* bits of a code address */
	bool			exact;	/* pc ran, or is to run next */
	enum pd_unwind_end	end;	/* when a step has failed */
	struct pd_error		*err;
};

static inline bool
is_valid(const struct walk *w, size_t reg)
{
	return w->regs.valid >> reg & 1;
}

static inline void
set_reg(struct walk *w, size_t reg, uint64_t v)
{
	w->regs.r[reg] = v;
	w->regs.valid |= UINT64_C(1) << reg;
}

static inline void
clear_reg(struct walk *w, size_t reg)
{
	w->regs.valid &= ~(UINT64_C(1) << reg);
}

/* Load from the stack; what is above the copied bytes is cut off. */
static inline bool
load(struct walk *w, uint64_t addr, uint64_t *v)
{
	if (pd_stack_word(&w->stack, addr, v))
		return true;
	w->end = addr >= w->stack.addr ? PD_UNWIND_TRUNCATED :
	    PD_UNWIND_STOPPED;
	return false;
}

static bool
find_cfa(struct walk *w, const struct rule *r, uint64_t *cfa)
{
	const struct expr *e;

	if (r->kind == RULE_CFI) {
		*cfa = w->regs.r[r->cfa_reg] + (uint64_t)(int64_t)r->cfa;
		return is_valid(w, r->cfa_reg);
	}
	e = &w->u->exprs[r->cfa];
	return pd_expr_eval(e->bytes, e->size, &w->regs, NULL, &w->stack, cfa);
}

/* The value of a register in the caller: false when it cannot be known. */
static inline bool
find_saved(struct walk *w, const struct saved *s, uint64_t cfa, uint64_t *v)
{
	const struct expr *e;

	switch (s->how) {
	case PD_CFI_SAVED:
		return load(w, cfa + (uint64_t)(int64_t)s->value, v);
	case PD_CFI_OFFSET:
		*v = cfa + (uint64_t)(int64_t)s->value;
		return true;
	case PD_CFI_REGISTER:
		*v = w->regs.r[s->from];
		return is_valid(w, s->from);
	case PD_CFI_AT_EXPR:
	case PD_CFI_EXPR:
		e = &w->u->exprs[s->value];
		if (!pd_expr_eval(e->bytes, e->size, &w->regs, &cfa,
		    &w->stack, v))
			return false;
		return s->how == PD_CFI_EXPR || load(w, *v, v);
	}
	return false;
}

/* The registers of the caller, when its stack began at cfa. */
static void
restore(struct walk *w, const struct rule *r, uint64_t cfa)
{
	const struct saved *s = r->nsaved > 0 ? &w->u->saved[r->saved] : NULL;
	uint64_t v[PD_ARCH_REGS], known = 0;
	size_t i;

	/* First all values, since they may be made of registers. */
	for (i = 0; i < r->nsaved; i++)
		known |= (uint64_t)find_saved(w, &s[i], cfa, &v[i]) << i;
	if (!r->signal)
		w->regs.valid &= w->arch->kept | UINT64_C(1) << r->ra;
	set_reg(w, w->arch->sp, cfa);
	for (i = 0; i < r->nsaved; i++) {
		if (known >> i & 1)
			set_reg(w, s[i].reg, v[i]);
		else
			clear_reg(w, s[i].reg);
	}
}

/*
 * Go on at a return address.  The bits above the address space are the
 * signature of pointer authentication, or 0.
 */
static inline void
go_to(struct walk *w, uint64_t pc)
{
	set_reg(w, w->arch->pc, pc & w->code);
	if (w->arch->link != w->arch->pc && !w->exact)
		clear_reg(w, w->arch->link);
}

static bool
step_cfi(struct walk *w, const struct rule *r)
{
	uint64_t sp = w->regs.r[w->arch->sp], cfa;
	bool was_exact = w->exact;

	if (!find_cfa(w, r, &cfa))
		return false;
	/*
	 * A stack grows by each call.  Code that made none may not have used
	 * it, and a handler can have run on a stack of its own.
	 */
	if (!r->signal && (cfa < sp || (cfa == sp && !was_exact)))
		return false;
	w->end = PD_UNWIND_STOPPED;
	restore(w, r, cfa);
	if (!is_valid(w, r->ra))
		return false;
	w->exact = r->signal;
	go_to(w, w->regs.r[r->ra]);
	return true;
}

/* Into a stub nobody has pushed yet. */
static bool
step_plt(struct walk *w)
{
	uint64_t sp = w->regs.r[w->arch->sp], pc;

	if (w->arch->link != w->arch->pc) {
		if (!w->exact || !is_valid(w, w->arch->link))
			return false;
		pc = w->regs.r[w->arch->link];
	} else {
		if (!load(w, sp, &pc))
			return false;
		set_reg(w, w->arch->sp, sp + 8);
	}
	w->exact = false;
	go_to(w, pc);
	return true;
}

/*
 * Without CFI: where the frame pointer points, the caller's is saved, and the
 * return address above it, on x86-64 as on arm64.  It may as well be any
 * number, so what it leads to must be code.
 */
static bool
step_chain(struct walk *w)
{
	uint64_t sp = w->regs.r[w->arch->sp], fp = w->regs.r[w->arch->fp];
	uint64_t next, pc;
	uint32_t i;

	if (!is_valid(w, w->arch->fp))
		return false;
	/* The ABIs end the chain with 0. */
	if (fp == 0 && !w->exact)
		w->end = PD_UNWIND_COMPLETE;
	if (fp < sp || fp % 8 != 0 || !load(w, fp, &next) ||
	    !load(w, fp + 8, &pc))
		return false;
	w->end = PD_UNWIND_STOPPED;
	i = find_rule(w->u, w->space, (pc & w->code) - 1, w->err);
	if (i == PD_NOID || w->u->rules[i].kind == RULE_NOWHERE)
		return false;
	w->regs.valid &= w->arch->kept;
	set_reg(w, w->arch->fp, next);
	set_reg(w, w->arch->sp, fp + 16);
	w->exact = false;
	go_to(w, pc);
	return true;
}

/*
 * The stack pointer is at a struct rt_sigframe of arm64: the registers begin
 * 312 bytes up, behind siginfo and what ucontext has before them
 * (arch/arm64/kernel/signal.c, uapi/asm/sigcontext.h), in the order of DWARF.
 */
static bool
step_sigframe(struct walk *w)
{
	uint64_t at = w->regs.r[w->arch->sp] + 312, v[PD_ARCH_REGS];
	size_t i;

	for (i = 0; i < w->arch->nregs; i++)
		if (!load(w, at + 8 * i, &v[i]))
			return false;
	for (i = 0; i < w->arch->nregs; i++)
		set_reg(w, i, v[i]);
	w->exact = true;
	go_to(w, v[w->arch->pc]);
	return true;
}

/* To the caller: false when there is none, for the reason in w->end. */
static inline bool
step(struct walk *w, const struct rule *r)
{
	w->end = PD_UNWIND_STOPPED;
	switch (r->kind) {
	case RULE_CFI:
	case RULE_CFI_EXPR: return step_cfi(w, r);
	case RULE_PLT: return step_plt(w);
	case RULE_SIGFRAME: return step_sigframe(w);
	case RULE_CHAIN: return step_chain(w);
	case RULE_OUTERMOST: w->end = PD_UNWIND_COMPLETE; break;
	}
	return false;
}

/* ---- samples ----------------------------------------------------------------- */

bool
pd_unwinder_can(const struct pd_event *ev, const struct pd_sample *smp)
{
	return (ev->sample_type & PD_SAMPLE_STACK_USER) &&
	    smp->user_regs != NULL;
}

/* Only the registers of the mask are in the sample, in the order of bits. */
static void
get_regs(struct walk *w, const struct pd_event *ev,
    const struct pd_sample *smp)
{
	uint64_t bit;
	size_t i, at;

	for (i = 0; i < w->arch->nregs; i++) {
		bit = UINT64_C(1) << w->arch->perf[i];
		if (!(ev->regs_user & bit))
			continue;
		at = (size_t)__builtin_popcountll(ev->regs_user & (bit - 1));
		set_reg(w, i, pd_load_u64(smp->user_regs + 8 * at,
		    smp->swapped));
	}
}

/*
 * arm64 kernels use 39 to 52 bits of an address, and pointer authentication
 * the ones above but for bit 55 (Arm ARM, D8.8).  Stack and libraries lie near
 * the upper end of the address space, so they tell how many.
 */
static uint64_t
code_bits(const struct walk *w)
{
	const struct pd_space *sp = w->space;
	uint64_t top = w->regs.r[w->arch->sp] | UINT64_C(1) << 38;

	if (!w->arch->strips)
		return UINT64_MAX;
	if (sp->len > 0)
		top |= sp->maps[sp->len - 1].end - 1;
	return UINT64_MAX >> __builtin_clzll(top);
}

static int
walk(struct walk *w, struct pd_chain_entry *out, size_t max, size_t *len)
{
	const struct rule *r;
	uint64_t pc;
	uint32_t i;

	for (*len = 0; *len < max;) {
		pc = w->regs.r[w->arch->pc];
		if (pc == 0) {
			w->end = PD_UNWIND_COMPLETE;
			return 0;
		}
		i = find_rule(w->u, w->space, pc - !w->exact, w->err);
		if (i == PD_NOID)
			return -1;
		r = &w->u->rules[i];
		/* The kernel, not a call, made it return to a trampoline. */
		out[(*len)++] = (struct pd_chain_entry){ pc, PD_CPUMODE_USER,
			w->exact || r->signal };
		if (!step(w, r))
			return w->err->code == PD_ENOMEM ? -1 : 0;
	}
	w->end = PD_UNWIND_FULL;
	return 0;
}

int
pd_unwinder_run(struct pd_unwinder *u, const struct pd_thread *th,
    const struct pd_event *ev, const struct pd_sample *smp,
    struct pd_chain_entry *out, size_t max, size_t *len,
    enum pd_unwind_end *end, struct pd_error *err)
{
	struct walk w = {
		.u = u, .space = pd_thread_space(th), .exact = true,
		.end = PD_UNWIND_STOPPED, .err = err,
	};

	*len = 0;
	*end = PD_UNWIND_COMPLETE;
	if (!pd_unwinder_can(ev, smp) || max == 0)
		return 0;
	*end = PD_UNWIND_STOPPED;
	if (u->ev != ev) {
		u->ev = ev;
		u->arch = pd_arch_find(pd_session_info(u->session)->arch, ev);
	}
	if ((w.arch = u->arch) == NULL)
		return 0;
	get_regs(&w, ev, smp);
	if (smp->user_abi != REGS_ABI_64) {
		/* 32-bit code: its registers are others */
		out[(*len)++] = (struct pd_chain_entry){
			w.regs.r[w.arch->pc], PD_CPUMODE_USER, true };
		return 0;
	}
	w.code = code_bits(&w);
	w.stack = (struct pd_stack_copy){ smp->user_stack,
		w.regs.r[w.arch->sp], smp->user_stack_size, smp->swapped };
	err->code = PD_OK;
	if (walk(&w, out, max, len) == -1)
		return -1;
	*end = w.end;
	return 0;
}
