/* Promotions, usual conversions, narrowing assignments, shifts, constants.  Every function is
 * compiled, interpreted and summarised, and must give the same on random states: run-symexec.sh,
 * `fuzz_symexec --file`. */
/* clang-format off */
#include <visar.h>
#ifndef FZ
#define FZ(e) (e)
#endif
typedef unsigned char byte;
typedef struct { byte b; signed char s; short h; unsigned short uh; _Bool f; } small;
typedef enum { LOW = -3, MID = 0, HIGH = 7 } level;
DATABASE small cell[3];
DATABASE level mood;
DATABASE unsigned u;
DATABASE int i;
DATABASE long l;
DATABASE unsigned long ul;
DATABASE int matrix[2][3][2];
static const int table[2][3] = {{1, 2, 3}, {-4, 5, 1000}};
static const small fixed = {200, -100, -30000, 60000, 1};
TRANSACTION int t0(byte a, signed char b) { return a + b; }
TRANSACTION int t1(byte a, byte b) { byte c = a + b; c += a; c -= 7; return c; }
TRANSACTION int t2(signed char a) { a *= 3; a <<= 1; return a; }
TRANSACTION unsigned t3(unsigned a, int b) { return a - b; }
TRANSACTION int t4(unsigned a, int b) { return (a < b) + 2 * (a + b > 0u) + 4 * (-1 < (int)a); }
TRANSACTION int t5(int a, unsigned char n) { return (a > 0 ? a : 1) << (n & 31) >> (n & 7); }
TRANSACTION unsigned t6(unsigned a, unsigned n) { return a << n | a >> (32 - n); }
TRANSACTION long t7(int a, unsigned b) { return (long)a * b + (a ^ b); }
TRANSACTION _Bool t8(long a) { _Bool f = a; f += 5; f--; return f; }
TRANSACTION int t9(_Bool f, int a) { f = a & 256; return f + (f ^ 3) + ~f; }
TRANSACTION int t10(int a) { short s = a; unsigned short v = s; return s == v ? 1 : s - v; }
TRANSACTION unsigned long t11(int a) { return (unsigned)a + (unsigned long)a; }
TRANSACTION int t12(int a, int b) { return a / (b | 1) * (b | 1) + a % (b | 1) == a; }
TRANSACTION int t13(long a) { return (int)a + (int)(a >> 32); }
TRANSACTION int t14(int k) { cell[k & 1].s += 200; cell[k & 1].uh -= 70000; cell[k & 1].f |= 2; return cell[k & 1].s; }
TRANSACTION int t15(int k) { return cell[0].b++ + cell[1].s-- - ++cell[2].h; }
TRANSACTION int t16(int k) { mood = k; return mood < 0 ? -1 : mood > HIGH; }
TRANSACTION int t17(int k) { switch (mood) { case LOW: k = 1; case MID: k += 2; break; default: k = 9; case HIGH: k *= 2; } return k; }
TRANSACTION unsigned long t18(int k) { return sizeof(small) + sizeof matrix / sizeof *matrix + sizeof(k ? 1L : 2) + sizeof cell[9]; }
TRANSACTION int t19(int a) { return fixed.b + fixed.s + fixed.h + fixed.uh + fixed.f + table[a & 1][(unsigned)a % 3]; }
TRANSACTION unsigned t20(unsigned a) { a *= a; a += 0xffffffffu; a /= 3; a %= 1000; return -a; }
TRANSACTION long t21(unsigned char a, short b) { return a * b * 65536L - (b << (b & 3 ? 0 : 1)) ; }
TRANSACTION int t22(int a, int b) { return a > b ? a : b > 0 ? b : -1; }
TRANSACTION unsigned char t23(int a) { return a; }
TRANSACTION _Bool t24(int a) { return a; }
TRANSACTION short t25(unsigned long a) { return a + u; }
TRANSACTION int t26(int a) { return !!a + !a * 2 + (a && !a) + -(a || 1); }
TRANSACTION int t27(int a) { return +(signed char)a + -(unsigned char)a + ~(unsigned short)a; }
TRANSACTION unsigned t28(unsigned char a) { return a << 24; }
TRANSACTION unsigned t29(unsigned char a) { return (unsigned)a << 24 >> 4; }
TRANSACTION int t30(int a, int n) { return a >> (n & 31); }
TRANSACTION long t31(long a) { return a / -1; }
TRANSACTION int t32(int a) { return a % -1; }
TRANSACTION unsigned long t33(unsigned long a, unsigned long b) { ul = a * b; return ul / (b | 1); }
TRANSACTION int t34(int a) { l = 'a' + '\377' + '\x41'; return l + a; }
TRANSACTION int t35(int a) { i = a; i ^= i << (a & 3); return i &= ~7; }
