/* Row pointers that may be equal, structs copied between rows, arrays in structs, tables of several
 * dimensions, loops, switches and jumps; see conversions.c. */
/* clang-format off */
#include <visar.h>
#ifndef FZ
#define FZ(e) (e)
#endif
struct pair { int x, y; };
struct node { int key; struct pair p[2]; struct { unsigned char tag; struct pair q; } in; };
DATABASE struct node node[4];
DATABASE struct pair spot;
DATABASE int grid[2][3];
DATABASE int n;
DATABASE int cube[2][2][2];
static void move(struct node *a, struct node *b, int d) { a->key -= d; b->key += d; if (b->key > 1000) rollback(); }
static struct pair swap(struct pair p) { int t = p.x; p.x = p.y; p.y = t; return p; }
static int twice(int *p) { *p += 1; *p *= 2; return *p; }
static int total(const struct node *a) { int s = 0; for (int k = 0; k < 2; k++) s += a->p[k].x - a->p[k].y; return s; }
static int fact(int k) { return k <= 1 ? 1 : k * fact(k - 1); }
static int even(int k);
static int odd(int k) { if (k == 0) return 0; return even(k - 1); }
static int even(int k) { if (k == 0) return 1; return odd(k - 1); }
static void check(int v) { if (v < 0) rollback(); }
static void fill(struct pair *p, int v) { p->x = v; p->y = -v; }
TRANSACTION int t0(int i, int j, int d) { move(&node[i & 3], &node[j & 3], d & 255); return node[i & 3].key + node[j & 3].key; }
TRANSACTION int t1(int i, int j) { struct node *a = &node[i & 3], *b = &node[j & 3]; a->key = 1; b->key = 2; return a->key; }
TRANSACTION int t2(int i, int j) { node[i & 3] = node[j & 3]; node[j & 3].key++; return node[i & 3].key; }
TRANSACTION int t3(int i) { struct node c = node[i & 3]; c.p[1] = c.p[0]; c.in.q = swap(c.p[0]); node[(i + 1) & 3] = c; return c.in.q.x; }
TRANSACTION int t4(int i) { spot = swap(node[i & 3].p[i & 1]); return swap(spot).x; }
TRANSACTION int t5(int i, int j) { int v = twice(&grid[i & 1][(unsigned)j % 3]); return v + grid[1][2]; }
TRANSACTION int t6(int i) { int a[3] = {1, 2}; int *p = i & 1 ? &a[i & 1] : &grid[1][1]; *p = 7; return a[1] * 10 + grid[1][1]; }
TRANSACTION int t7(int i) { int s = 0; for (int r = 0; r < 2; r++) for (int c = 0; c < 3; c++) { if (grid[r][c] == i) break; if (grid[r][c] < 0) continue; s += grid[r][c]; if (s > 100) goto out; } s = -s; out: return s; }
TRANSACTION int t8(int k) { return fact(k & 7); }
TRANSACTION int t9(int k) { return even(k & 3) * 10 + odd(k & 3); }
TRANSACTION int t10(int k) { check(k); n = k; check(node[0].key); n++; return n; }
TRANSACTION int t11(int k) { return (n > 0 && (n = k) > 5) || (grid[0][0] = n) ? n : -n; }
TRANSACTION int t12(int k) { int a = (n = k, n + 1), b; b = (a++, a); return a * 3 + b; }
TRANSACTION int t13(int k) { int r = 0; switch (k & 7) { case 0: switch (n & 3) { case 1: r = 1; break; default: r = 2; } case 1: r += 10; break; case 5: { r = 5; if (n) break; } default: r += 100; case 6: r++; } return r; }
TRANSACTION int t14(int k) { int s = 0; do { if (s > 6) break; s += 2; if (s == 4) continue; n++; } while (k-- > 0 && k < 5); return s; }
TRANSACTION int t15(int k) { int s = 0; while (1) { s++; if (s > (k & 3)) break; } return s; }
TRANSACTION int t16(int k) { for (int a = 0, b = 10; a < b; a += 3, b--) n += a * b; return n; }
TRANSACTION int t17(int i, int j) { cube[i & 1][j & 1][0] = 5; cube[1][i & 1][j & 1] += 2; return cube[1][0][1] + cube[i & 1][1][1]; }
TRANSACTION int t18(int i) { struct pair p = {.y = 3}, q = {i, i}; p = i > 0 ? q : p; fill(&spot, p.x); fill(&p, 4); return p.x + spot.y; }
TRANSACTION int t19(int i) { struct node *a = &node[0]; if (i > 0) a = &node[1]; if (i > 5) a = &node[2]; a->in.tag = i; a->p[1].y = a->in.tag; return node[1].in.tag; }
TRANSACTION int t20(int i) { node[i & 3].p[i & 1] = node[(i + 1) & 3].p[0]; return total(&node[i & 3]); }
TRANSACTION int t21(int i) { if (i < 0) return -1; if (n == i) { n = 0; return 0; } n = i; return n > 3 ? n : grid[0][i > 2 ? 2 : i]; }
TRANSACTION int t22(int i) { int x = i; { int x = 2; n = x + i; } return x; }
TRANSACTION int t23(int i) { return (i ? n++ : n--) + (i > 1 ? spot.x : (spot.y = 3)); }
TRANSACTION int t24(int i) { goto a; n = 5; a: if (i) goto b; n += 1; b: n += 2; return n; }
TRANSACTION int t25(int i) { const struct pair c[2] = {{1, 2}, {3, 4}}; struct pair d[2]; d[0] = c[i & 1]; d[1] = d[0]; d[1].x = i; return d[0].x + d[1].x + d[1].y; }
TRANSACTION int t26(int i) { static const int w[3] = {[1] = 5}; return w[(unsigned)i % 3] + (int){7} + ((struct pair){1, i}).y; }
TRANSACTION int t27(int i) { int a[2][2] = {{1}, {2, 3}}; a[i & 1][0] = a[1][i & 1]; return a[0][0] * 100 + a[0][1] * 10 + a[1][0]; }
TRANSACTION int t28(int i) { return node[i].key; }
TRANSACTION int t29(int i, int j) { return grid[i][j]; }
TRANSACTION int t30(int i) { return node[0].p[i].x + node[0].p[1 - i].y; }
TRANSACTION int t31(int i) { unsigned char k = i; for (k = 250; k >= 250; k++) n++; return n; }
TRANSACTION int t32(int i) { for_update(node[i & 3]); for_update(spot); return node[i & 3].key + spot.x; }
TRANSACTION int t33(int i) { n = n / (i & 3); return n % i; }
TRANSACTION int t34(int i) { if (i > 0) { assume(n > 0); assert(n + 1 > 1); } else if (i < -3) rollback(); else n = 1; return n; }
