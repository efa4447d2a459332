/* Effects in conditions, recursion through row pointers, uncommon types and jumps, predicates,
 * INITIAL functions (init1, init2: one at a time) and scenarios; see conversions.c. */
/* clang-format off */
#include <visar.h>
#ifndef FZ
#define FZ(e) (e)
#define FZ_STUB(...)
#define CALL(f) f
#endif
#include <limits.h>
#include <stdint.h>
#include <stddef.h>
typedef struct { struct { int a, b; }; int8_t v[3]; } row;
typedef int vec3[3];
enum sign { NEG = -1, ZERO, POS };
enum big { TOP = 0x80000000 };
DATABASE row r[2];
DATABASE vec3 w[2];
DATABASE enum sign sg;
DATABASE enum big bg;
DATABASE char c;
DATABASE size_t z;
DATABASE uint16_t h;
DATABASE bool flag;
DATABASE int n;
static int next(void) { return n++; }
static int walk(row *p, int d) { if (d == 0) return p->a; p->b += d; int below = walk(d & 1 ? &r[0] : p, d - 1); return below + p->b; }
static int find(int v) { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) if (w[i][j] == v) return i * 3 + j; return -1; }
static int classify(int v) { switch (v & 3) { case 0: return 1; case 1: if (n) return 2; default: break; case 2: return 3; } return 4; }
static void both(int *x, int *y) { *x = *y + 1; *y = *x + 1; }
static int sum(row by_value) { by_value.v[0] = 1; return by_value.a + by_value.v[0] + by_value.v[2]; }
TRANSACTION int t0(int k) { int a[4] = {0}; int i = 0; a[i++] += 2; a[i++] -= k & 7; a[++i] = 5; return a[0] + a[1] * 10 + a[3] * 100 + i; }
TRANSACTION int t1(int k) { signed char s; unsigned char u; int i; i = s = u = k; return i * 1000 + s + u; }
TRANSACTION int t2(int k) { flag ^= k & 1; flag = flag + flag; flag *= k; return -flag + (flag << 3) + (flag > -1); }
TRANSACTION int t3(int k) { sg = k % 2; sg++; sg += 2; sg = -sg; return sg; }
TRANSACTION long t4(long k) { bg = k; return bg + 1L + (bg == TOP) + (bg > 5); }
TRANSACTION int t5(char k) { c = k + 200; return c + (c < 0) + (k == '\377'); }
TRANSACTION int t6(int k) { return (k - 1u < 0) + 2 * (k < 2147483648) + 4 * (k == 0x80000000) + 8 * (-1 > 0xffffffff) + 16 * (k > -1L); }
TRANSACTION long t7(int k) { return 2147483647 + 1L + 0xffffffff + 0x7fffffff + 4294967296 + 010 + 'ab'; }
TRANSACTION int t8(unsigned long m, long k) { return (7 << (m & 15)) + (1000 >> (k & 15)) + (1 >> (_Bool)k); }
TRANSACTION int t9(int k) { return k << (k & 1 ? 2 : 40); }
TRANSACTION unsigned t10(int k) { return 1u << k; }
TRANSACTION unsigned long t11(int k) { z = k; z -= 5; h = z; h <<= 9; return z + h + sizeof(n++) + _Alignof(row) + offsetof(row, v); }
TRANSACTION int t12(int k) { int s = 0; while (next() < 3 && s < 50) s += 10; return s + n + k; }
TRANSACTION int t13(int k) { return walk(&r[k & 1], k & 3); }
TRANSACTION int t14(int k) { w[k & 1][1] = k; return find(k) * 10 + find(7); }
TRANSACTION int t15(int k) { return classify(k) + classify(n) * 10; }
TRANSACTION int t16(int i, int j) { both(&w[i & 1][0], &w[j & 1][0]); return w[0][0] - w[1][0]; }
TRANSACTION int t17(int k) { int x = k & 7; both(&x, &n); both(&n, &x); return x * 2 + n; }
TRANSACTION int t18(int k) { return sum(r[k & 1]) + r[k & 1].v[0]; }
TRANSACTION int t19(int k) { int s = 0; for (int i = 0; i < 5; i++) { switch (i) { case 1: continue; case 3: if (k > 0) goto done; break; default: s += i; } s += 10; } done: return s; }
TRANSACTION int t20(int k) { int s = 0, i = 0; do { i++; if (i == 2) continue; s += i; } while (i < 4 && (s < 6 || k)); return s * 10 + i; }
TRANSACTION int t21(int k) { int i = 0; for (;;) { if (i * i > (k & 31)) break; i++; } return i; }
TRANSACTION int t22(int k) { row *p = &r[0]; for (int i = 0; i < 3; i++) { p->a += i; p = p->a & 1 ? &r[1] : &r[0]; } return p->a; }
TRANSACTION int t23(int k) { row l[2] = {{.a = k & 7}, {.b = 2, .v = {1, 2}}}; row *p = k & 1 ? &l[1] : &r[k >> 1 & 1]; p->v[k & 1] = 9; r[0] = l[1]; return p->v[0] + l[1].v[0] * 100; }
TRANSACTION int t24(int k) { if ((n = k) > 3 && (c = n) < 0) return 1; else if (!(k & 1) || (n |= 64) == 0) return n; return c; }
TRANSACTION int t25(int k) { const int m = k & 15, q = m * m; _Static_assert(sizeof(int) == 4, ""); enum { LOCAL = 3 }; return q + LOCAL + m % LOCAL; }
TRANSACTION int t26(int k) { (void)n; (void)(k ? r[0].a : r[1].a); return 0; }
TRANSACTION int t27(int k) { for (int i = nondet_int() & 3; i > 0; i--) n += nondet_uchar(); return n; }
TRANSACTION int t28(int k) { int s = 0; for (int i = 0; i < 3; i++) { int v = i; for (int v = 0; v < 2; v++) s += v; s += v * 10; } return s; }
TRANSACTION int t29(int k) { return INT_MIN / (k & 1 ? -1 : 1) + INT_MAX % 7; }
TRANSACTION int t30(int k) { return k == INT_MIN ? -k : k < 0 ? -k : k; }
TRANSACTION int t31(int k) { int s = 0; for (unsigned i = 3; i-- > 0;) s = s * 10 + w[0][i] % 10; return s; }
TRANSACTION int t32(int k) { n = 1; if (k > 0) { n = 2; if (k > 5) { n = 3; goto end; } n += 10; } n += 100; end: n += 1000; return n; }
TRANSACTION int t33(int k) { return (r[k & 1].a = 3, r[0].a) * 10 + (k ? r[1].b : r[0].b); }
TRANSACTION int t34(int k) { w[k & 1][0] = w[k & 1][0]; r[1] = r[1]; return n; }
TRANSACTION int t35(int k) { int *p = &w[0][0], *q = &w[k & 1][2]; *p = 1; *q = 2; p = q; *p += 3; return w[0][2] + w[1][2]; }
TRANSACTION int t36(long long k) { uint64_t u = k; int64_t i = u >> 1; return (int)(u ^ i) + (int)(u % 1000003) - (int)(k % 1000003); }
TRANSACTION int t37(int k) { return 0 ? 1 / 0 : k ? 5 : 1 / (k - k + 1); }
TRANSACTION int t38(int k) { if (k & 1) { rollback(); } else { assert(n >= k); } assume(k != 4); return n; }
TRANSACTION int t39(unsigned char a, unsigned char b) { return (a - b) % 5 + (a - b) / 3 + ((a - b) >> 1) + (unsigned char)(a - b); }
FZ_STUB(int, t39, (unsigned char a, unsigned char b), a, b)
INVARIANT bool v0(void) { int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += w[i][j]; return s >= 0 && find(s) >= -1; }
INVARIANT int v1(void) { return flag ? sg == POS || sg * 2 < n : (unsigned char)(n + 1) != 0; }
FINAL bool v2(void) { const row *p = &r[n & 1]; if (p->a > p->b) p = &r[0]; return p->a - p->b <= 3 || 10 / p->v[0] > 1; }
static void init1(void) { r[0].a = 5; for (int i = 0; i < 3; i++) w[1][i] = i + r[0].a; n = nondet_int(); assume(n > 0); r[1] = r[0]; walk(&r[1], 2); both(&n, &w[0][n & 1]); }
static void init2(void) { flag = nondet_bool(); if (flag) { n = 7; return; } n = nondet_int() & 3; w[n & 1][n] = 4; }
SCENARIO void n0(void) { int v = nondet_int(); for (int i = 0; i < 2; i++) { int got = CALL(t39)(v + i, v); if (got > 3) continue; SESSION { CALL(t39)(got, 1); CALL(t39)(v, 2); } } assert(v != 3); }
SCENARIO void n1(void) { bool b = nondet_bool(); if (b) { SESSION { CALL(t39)(1, 2); } } else { CALL(t39)(3, 4); } SESSION { if (b) CALL(t39)(5, 6); CALL(t39)(7, 8); } assume(!b || nondet_int() > 0); CALL(t39)(9, b); }
