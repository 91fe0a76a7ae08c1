/* Evaluates DWARF expressions, in bounded time and memory. */
#include <dwarf.h>

#include "base/cursor.h"
#include "unwind/expr.h"
#include "unwind/leb.h"

/* The longest in use, of sigreturn trampolines and PLTs, have ten steps. */
#define MAX_STEPS	200
#define DEPTH		32

struct eval {
	struct pd_cursor		c;
	const struct pd_regs		*regs;
	const uint64_t			*cfa;
	const struct pd_stack_copy	*stack;
	uint64_t			v[DEPTH];	/* the top is last */
	size_t				n;
};

bool
pd_stack_word(const struct pd_stack_copy *s, uint64_t addr, uint64_t *v)
{
	if (s->size < 8 || addr - s->addr > s->size - 8)
		return false;
	*v = pd_load_u64(s->bytes + (addr - s->addr), s->swapped);
	return true;
}

static void
push(struct eval *e, uint64_t v)
{
	if (e->n == DEPTH)
		e->c.bad = true;
	else
		e->v[e->n++] = v;
}

static uint64_t
pop(struct eval *e)
{
	if (e->n == 0) {
		e->c.bad = true;
		return 0;
	}
	return e->v[--e->n];
}

/* A copy of the i-th from the top. */
static void
pick(struct eval *e, size_t i)
{
	if (i >= e->n)
		e->c.bad = true;
	else
		push(e, e->v[e->n - 1 - i]);
}

static void
push_reg(struct eval *e, uint64_t reg, int64_t offset)
{
	if (reg >= PD_ARCH_REGS || !(e->regs->valid >> reg & 1))
		e->c.bad = true;
	else
		push(e, e->regs->r[reg] + (uint64_t)offset);
}

static void
deref(struct eval *e, size_t size)
{
	uint64_t addr = pop(e), v = 0;

	if (size == 0 || size > 8 || !pd_stack_word(e->stack, addr, &v))
		e->c.bad = true;
	else if (size < 8)
		v = e->stack->swapped == (__BYTE_ORDER__ ==
		    __ORDER_LITTLE_ENDIAN__) ? v >> (64 - 8 * size) :
		    v & ((UINT64_C(1) << 8 * size) - 1);
	push(e, v);
}

/* Bring the top to the third place. */
static void
rotate(struct eval *e)
{
	uint64_t a = pop(e), b = pop(e), c = pop(e);

	push(e, a);
	push(e, c);
	push(e, b);
}

/* Move in the expression by a signed distance. */
static void
skip(struct eval *e, const uint8_t *start, bool taken)
{
	int64_t by = (int16_t)pd_get_u16(&e->c);

	if (!taken || e->c.bad)
		return;
	if (by < start - e->c.p || by > e->c.end - e->c.p)
		e->c.bad = true;
	else
		e->c.p += by;
}

static void
constant(struct eval *e, uint8_t op)
{
	struct pd_cursor *c = &e->c;

	switch (op) {
	case DW_OP_const1u: push(e, pd_get_u8(c)); break;
	case DW_OP_const1s: push(e, (uint64_t)(int8_t)pd_get_u8(c)); break;
	case DW_OP_const2u: push(e, pd_get_u16(c)); break;
	case DW_OP_const2s: push(e, (uint64_t)(int16_t)pd_get_u16(c)); break;
	case DW_OP_const4u: push(e, pd_get_u32(c)); break;
	case DW_OP_const4s: push(e, (uint64_t)(int32_t)pd_get_u32(c)); break;
	case DW_OP_const8u:
	case DW_OP_const8s: push(e, pd_get_u64(c)); break;
	case DW_OP_constu: push(e, pd_get_uleb(c)); break;
	case DW_OP_consts: push(e, (uint64_t)pd_get_sleb(c)); break;
	}
}

static void
binary(struct eval *e, uint8_t op)
{
	uint64_t b = pop(e), a = pop(e), v = 0;
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case DW_OP_and: v = a & b; break;
	case DW_OP_or: v = a | b; break;
	case DW_OP_xor: v = a ^ b; break;
	case DW_OP_plus: v = a + b; break;
	case DW_OP_minus: v = a - b; break;
	case DW_OP_mul: v = a * b; break;
	case DW_OP_div:
		if (b == 0)
			e->c.bad = true;
		else		/* -1: the quotient may not fit */
			v = sb == -1 ? -a : (uint64_t)(sa / sb);
		break;
	case DW_OP_mod:
		if (b == 0)
			e->c.bad = true;
		else
			v = a % b;
		break;
	case DW_OP_shl: v = b < 64 ? a << b : 0; break;
	case DW_OP_shr: v = b < 64 ? a >> b : 0; break;
	case DW_OP_shra: v = (uint64_t)(sa >> (b < 64 ? b : 63)); break;
	case DW_OP_eq: v = a == b; break;
	case DW_OP_ne: v = a != b; break;
	case DW_OP_lt: v = sa < sb; break;
	case DW_OP_le: v = sa <= sb; break;
	case DW_OP_gt: v = sa > sb; break;
	case DW_OP_ge: v = sa >= sb; break;
	}
	push(e, v);
}

static void
step(struct eval *e, const uint8_t *start)
{
	struct pd_cursor *c = &e->c;
	uint8_t op = pd_get_u8(c);
	uint64_t v, w;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(e, op - DW_OP_lit0);
		return;
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(e, op - DW_OP_breg0, pd_get_sleb(c));
		return;
	}
	if (op >= DW_OP_const1u && op <= DW_OP_consts) {
		constant(e, op);
		return;
	}
	switch (op) {
	case DW_OP_addr: push(e, pd_get_u64(c)); break;
	case DW_OP_bregx:
		v = pd_get_uleb(c);
		push_reg(e, v, pd_get_sleb(c));
		break;
	case DW_OP_deref: deref(e, 8); break;
	case DW_OP_deref_size: deref(e, pd_get_u8(c)); break;
	case DW_OP_dup: pick(e, 0); break;
	case DW_OP_over: pick(e, 1); break;
	case DW_OP_pick: pick(e, pd_get_u8(c)); break;
	case DW_OP_drop: pop(e); break;
	case DW_OP_swap:
		v = pop(e);
		w = pop(e);
		push(e, v);
		push(e, w);
		break;
	case DW_OP_rot: rotate(e); break;
	case DW_OP_abs:
		v = pop(e);
		push(e, (int64_t)v < 0 ? -v : v);
		break;
	case DW_OP_neg: push(e, -pop(e)); break;
	case DW_OP_not: push(e, ~pop(e)); break;
	case DW_OP_plus_uconst:
		v = pop(e);
		push(e, v + pd_get_uleb(c));
		break;
	case DW_OP_skip: skip(e, start, true); break;
	case DW_OP_bra: skip(e, start, pop(e) != 0); break;
	case DW_OP_nop: break;
	case DW_OP_call_frame_cfa:
		if (e->cfa == NULL)
			c->bad = true;
		else
			push(e, *e->cfa);
		break;
	case DW_OP_and: case DW_OP_div: case DW_OP_minus: case DW_OP_mod:
	case DW_OP_mul: case DW_OP_or: case DW_OP_plus: case DW_OP_shl:
	case DW_OP_shr: case DW_OP_shra: case DW_OP_xor: case DW_OP_eq:
	case DW_OP_ge: case DW_OP_gt: case DW_OP_le: case DW_OP_lt:
	case DW_OP_ne:
		binary(e, op);
		break;
	default: c->bad = true;
	}
}

bool
pd_expr_eval(const uint8_t *expr, size_t size, const struct pd_regs *regs,
    const uint64_t *cfa, const struct pd_stack_copy *stack, uint64_t *v)
{
	struct eval e = {
		.c = pd_cursor(expr, size, stack->swapped),
		.regs = regs, .cfa = cfa, .stack = stack,
	};
	size_t steps;

	/* For the rule of a register the CFA is on the stack (6.4.2.3). */
	if (cfa != NULL)
		push(&e, *cfa);
	for (steps = 0; pd_left(&e.c) > 0 && !e.c.bad; steps++) {
		if (steps == MAX_STEPS)
			return false;
		step(&e, expr);
	}
	*v = pop(&e);
	return !e.c.bad;
}
