// SPDX-License-Identifier: Apache-2.0
// Names of the source as names in C: which are safe as they are, and what becomes of the others.
// In: a name of letters, digits and `_`. Out: a name that C11, C++ and CUDA take. The mapping is
// injective and does not change between versions: it is part of the output's contract.

#include "gen/mangle.h"

#include <string.h>

#include "gen/text.h"

#define ESCAPED "name_"

// Words, each between blanks, by who owns them. What begins with `_` or holds `__` needs no row.
static const char c_keywords[] =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while alignas alignof bool constexpr false nullptr "
    "static_assert thread_local true typeof typeof_unqual asm fortran ";

static const char cxx_keywords[] =
    " and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield "
    "compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export "
    "friend mutable namespace new noexcept not not_eq operator or or_eq private protected public "
    "reflexpr reinterpret_cast requires static_cast template this throw try typeid typename using "
    "virtual wchar_t xor xor_eq final override import module std ";

static const char cuda_words[] =
    " threadIdx blockIdx blockDim gridDim warpSize dim3 char1 char2 char3 char4 uchar1 uchar2 "
    "uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4 "
    "uint1 uint2 uint3 uint4 long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 "
    "longlong2 longlong3 longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 float1 float2 "
    "float3 float4 double1 double2 double3 double4 half half2 nvcuda cooperative_groups min max "
    "rsqrt rsqrtf norm rnorm sinpi cospi erfinv normcdf saturate clock clock64 atomicAdd atomicCAS "
    "atomicExch atomicMax atomicMin atomicAnd atomicOr atomicXor make_float4 make_int4 ";

static const char macros[] =
    " NULL EOF errno assert offsetof linux unix i386 arm sun vax mips sparc NDEBUG I complex "
    "imaginary noreturn stdin stdout stderr BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam SEEK_CUR "
    "SEEK_END SEEK_SET TMP_MAX CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX "
    "SHRT_MIN USHRT_MAX INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN "
    "ULLONG_MAX MB_LEN_MAX MB_CUR_MAX RAND_MAX CLOCKS_PER_SEC TIME_UTC PTRDIFF_MAX PTRDIFF_MIN "
    "SIZE_MAX WCHAR_MAX WCHAR_MIN WINT_MAX WINT_MIN WEOF HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN "
    "OVERFLOW DOMAIN SING PLOSS TLOSS UNDERFLOW HUGE math_errhandling MATH_ERRNO MATH_ERREXCEPT "
    "fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal "
    "islessgreater isunordered va_arg va_copy va_end va_start va_list setjmp jmp_buf "
    "kill_dependency "
    "ONCE_FLAG_INIT TSS_DTOR_ITERATIONS BIG_ENDIAN LITTLE_ENDIAN BYTE_ORDER PDP_ENDIAN NAME_MAX "
    "PATH_MAX PIPE_BUF ARG_MAX OPEN_MAX IOV_MAX SSIZE_MAX MAXFLOAT TRUE FALSE MIN MAX ERROR IN OUT "
    "near far small interface major minor makedev stat64 st_atime st_mtime st_ctime sigmask ";

static const char errno_macros[] =
    " E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF "
    "EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM "
    "ECONNABORTED ECONNREFUSED ECONNRESET EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST "
    "EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN "
    "EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC "
    "ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE "
    "EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS "
    "ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG "
    "ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY "
    "ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOVERFLOW EOWNERDEAD "
    "EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE "
    "EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE "
    "ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV "
    "EXFULL ";

static const char signal_macros[] =
    " SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT "
    "SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT "
    "SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGUNUSED SIGURG SIGUSR1 SIGUSR2 "
    "SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ ";

static const char c_functions[] =
    " main abort abs acos acosf acosh acoshf acoshl acosl aligned_alloc asctime asin asinf asinh "
    "asinhf asinhl asinl at_quick_exit atan atan2 atan2f atan2l atanf atanh atanhf atanhl atanl "
    "atexit atof atoi atol atoll bsearch btowc cabs cabsf cabsl cacos cacosf cacosh cacosl calloc "
    "carg cargf cargl casin casinh catan catanh cbrt cbrtf cbrtl ccos ccosh ceil ceilf ceill cexp "
    "cexpf cexpl cimag cimagf cimagl clearerr clog clogf clogl conj conjf conjl copysign copysignf "
    "copysignl cos cosf cosh coshf coshl cosl cpow cpowf cpowl cproj creal crealf creall csin "
    "csinh csqrt csqrtf csqrtl ctan ctanh ctime difftime div erf erfc erfcf erfcl erff erfl exit "
    "exp exp2 exp2f exp2l expf expl expm1 expm1f expm1l fabs fabsf fabsl fclose fdim fdimf fdiml "
    "feclearexcept fegetenv fegetround feholdexcept feof feraiseexcept ferror fesetenv fesetround "
    "fetestexcept feupdateenv fflush fgetc fgetpos fgets fgetwc fgetws floor floorf floorl fma "
    "fmaf fmal fmax fmaxf fmaxl fmin fminf fminl fmod fmodf fmodl fopen fprintf fputc fputs fputwc "
    "fputws fread free freopen frexp frexpf frexpl fscanf fseek fsetpos ftell fwide fwprintf "
    "fwrite fwscanf getc getchar getenv gets getwc getwchar gmtime hypot hypotf hypotl ilogb "
    "ilogbf ilogbl imaxabs imaxdiv isalnum isalpha isblank iscntrl isdigit isgraph islower isprint "
    "ispunct isspace isupper isxdigit iswalnum iswalpha iswblank iswcntrl iswctype iswdigit "
    "iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit labs ldexp ldexpf ldexpl ldiv "
    "lgamma lgammaf lgammal llabs lldiv llrint llrintf llrintl llround llroundf llroundl "
    "localeconv localtime log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf "
    "logbl logf logl longjmp lrint lrintf lrintl lround lroundf lroundl malloc mblen mbrlen "
    "mbrtowc mbsinit mbsrtowcs mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime modf "
    "modff modfl nan nanf nanl nearbyint nearbyintf nearbyintl nextafter nextafterf nextafterl "
    "nexttoward nexttowardf nexttowardl perror pow powf powl printf putc putchar puts putwc "
    "putwchar qsort quick_exit raise rand realloc remainder remainderf remainderl remove remquo "
    "remquof remquol rename rewind rint rintf rintl round roundf roundl scalbln scalblnf scalblnl "
    "scalbn scalbnf scalbnl scanf setbuf setlocale setvbuf signal sin sinf sinh sinhf sinhl sinl "
    "snprintf sprintf sqrt sqrtf sqrtl srand sscanf strcat strchr strcmp strcoll strcpy strcspn "
    "strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof "
    "strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax strxfrm swprintf swscanf "
    "system tan tanf tanh tanhf tanhl tanl tgamma tgammaf tgammal time timespec_get tmpfile tmpnam "
    "tolower toupper towctrans towlower towupper trunc truncf truncl ungetc ungetwc vfprintf "
    "vfscanf vfwprintf vprintf vscanf vsnprintf vsprintf vsscanf vwprintf wcrtomb wcscat wcschr "
    "wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr "
    "wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol wcstold wcstoll wcstombs wcstoul "
    "wcstoull wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf "
    "wscanf ";

static const char posix_names[] =
    " accept access alarm alloca basename bcmp bcopy bind bzero chdir chmod chown close closedir "
    "connect creat ctermid daemon dirname dlclose dlerror dlopen dlsym dprintf drem dup dup2 "
    "edata encrypt end environ etext execl execle execlp execv execve execvp exp10 exp10f exp10l "
    "fchdir fchmod fchown fcntl fdopen ffs ffsl ffsll fileno finite flock flockfile fork fstat "
    "fsync ftruncate ftw gamma gammaf gammal getcwd getdelim getegid geteuid getgid gethostname "
    "getline getopt getopt_long getpgid getpgrp getpid getppid getpriority getrlimit getrusage "
    "getsid getsockname getsockopt gettext gettimeofday getuid index initgroups initstate ioctl "
    "isascii isatty j0 j0f j0l j1 j1f j1l jn jnf jnl kill killpg lchown link listen lockf lseek "
    "lstat madvise mempcpy mkdir mkfifo mknod mkstemp mktemp mlock mmap mount mprotect munmap "
    "nanosleep nice open opendir optarg opterr optind optopt pause pclose pipe poll popen pow10 "
    "pread psignal pthread_create ptrace putenv pwrite random read readdir readlink readv reboot "
    "recv recvfrom recvmsg rindex rmdir sbrk scalb select send sendmsg sendto setenv setgid "
    "setpgid setsid setsockopt setstate setuid shutdown sigaction sigaddset sigemptyset sigfillset "
    "significand sigpause sigprocmask sigqueue sigsuspend sigwait sincos sincosf sincosl sleep "
    "socket socketpair srandom stat stpcpy stpncpy strcasecmp strdup strlcat strlcpy strncasecmp "
    "strndup strnlen strsep strsignal strtok_r swab symlink sync syscall sysconf tcgetattr "
    "tcsetattr tempnam timezone daylight tzname toascii truncate ttyname tzset umask umount uname "
    "unlink unsetenv usleep utime vfork wait wait3 wait4 waitpid write writev y0 y0f y0l y1 y1f "
    "y1l yn ynf ynl ";

static const struct {
    const char *words, *why;
} owners[] = {
    {c_keywords, "a keyword of C"},
    {cxx_keywords, "a keyword of C++"},
    {cuda_words, "a word of CUDA"},
    {macros, "a macro of the standard headers"},
    {errno_macros, "a macro of <errno.h>"},
    {signal_macros, "a macro of <signal.h>"},
    {c_functions, "a function of the C library"},
    {posix_names, "a name of the system's C library"},
};

// Prefixes of macros and names that headers may define; the next character must be of the class.
enum prefix_next { NEXT_ANY, NEXT_UPPER };
static const struct {
    const char *prefix;
    enum prefix_next next;
    const char *why;
} prefixes[] = {
    {"attn_", NEXT_ANY, "a name of the attn runtime"},
    {"ATTN_", NEXT_ANY, "a name of the attn runtime"},
    {"SIG_", NEXT_UPPER, "a macro of <signal.h>"},
    {"SA_", NEXT_UPPER, "a macro of <signal.h>"},
    {"LC_", NEXT_UPPER, "a macro of <locale.h>"},
    {"FE_", NEXT_UPPER, "a macro of <fenv.h>"},
    {"FP_", NEXT_UPPER, "a macro of <math.h>"},
    {"M_", NEXT_UPPER, "a macro of <math.h>"},
    {"PRI", NEXT_ANY, "a macro of <inttypes.h>"},
    {"SCN", NEXT_ANY, "a macro of <inttypes.h>"},
    {"FLT_", NEXT_UPPER, "a macro of <float.h>"},
    {"DBL_", NEXT_UPPER, "a macro of <float.h>"},
    {"LDBL_", NEXT_UPPER, "a macro of <float.h>"},
    {"DECIMAL_", NEXT_UPPER, "a macro of <float.h>"},
    {"ATOMIC_", NEXT_UPPER, "a macro of <stdatomic.h>"},
    {"atomic_", NEXT_ANY, "a name of <stdatomic.h>"},
    {"memory_order", NEXT_ANY, "a name of <stdatomic.h>"},
    {"INT8_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INT16_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INT32_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INT64_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINT8_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINT16_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINT32_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINT64_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INTMAX_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINTMAX_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INTPTR_", NEXT_ANY, "a macro of <stdint.h>"},
    {"UINTPTR_", NEXT_ANY, "a macro of <stdint.h>"},
    {"INT_", NEXT_UPPER, "a macro of <stdint.h>"},
    {"UINT_", NEXT_UPPER, "a macro of <stdint.h>"},
};

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool holds_word(const char *words, const char *name) {
    size_t len = strlen(name);
    for (const char *at = words; len > 0 && (at = strstr(at, name)) != NULL; at++) {
        if (at[-1] == ' ' && at[len] == ' ') {
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

const char *mangle_reserved(const char *name) {
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (holds_word(owners[i].words, name)) {
            return owners[i].why;
        }
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t len = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, len) == 0 &&
            (prefixes[i].next == NEXT_ANY || is_upper(name[len]))) {
            return prefixes[i].why;
        }
    }
    return ends_with(name, "_t") ? "of the form of a type of the system" : NULL;
}

// Could `name` be derived from the name of another deployment?
static bool is_derived(const char *name) {
    static const char *const suffixes[] = {
#define SUFFIX(word) "_" #word,
        MANGLE_SUFFIXES(SUFFIX)
#undef SUFFIX
    };
    static const char *const infixes[] = {
#define INFIX(word) "_" #word "_",
        MANGLE_INFIXES(INFIX)
#undef INFIX
    };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (ends_with(name, suffixes[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++) {
        if (strstr(name, infixes[i])) {
            return true;
        }
    }
    return false;
}

static bool is_part(const char *name) {
    size_t len = strlen(name);
    return len > 0 && name[0] != '_' && name[len - 1] != '_' && !strstr(name, "__") &&
           !strstr(name, "_OF_") && strncmp(name, ESCAPED, strlen(ESCAPED)) != 0;
}

static const char *escape(struct arena *a, const char *name) {
    struct text t = text_of(a);
    text_add(&t, ESCAPED);
    for (const char *c = name; *c; c++) {
        if (*c == 'z' || *c == '_') {
            text_add(&t, *c == 'z' ? "zz" : "zu");
        } else {
            text_add_n(&t, c, 1);
        }
    }
    return text_string(&t);
}

const char *mangle(struct arena *a, const char *name) {
    return is_part(name) && !is_derived(name) && !mangle_reserved(name) ? name : escape(a, name);
}

const char *mangle_part(struct arena *a, const char *name) {
    return is_part(name) ? name : escape(a, name);
}
