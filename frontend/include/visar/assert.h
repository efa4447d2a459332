/* What `#include <assert.h>` means while visar reads a program (this folder is then searched before
 * the system's): whatever the order of inclusion and whatever NDEBUG says, assert is visar's. */
#undef assert
#ifdef __VISAR__
#ifdef __cplusplus
extern "C"
#endif
    __attribute__((annotate("visar.assert"))) void
    visar_assert_(_Bool condition);
#define assert(...) visar_assert_(__VA_ARGS__)
#endif
#if !defined __cplusplus && !defined static_assert
#define static_assert _Static_assert
#endif
