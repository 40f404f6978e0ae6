"""The numbers of the system calls that the seccomp filter knows by name, on x86-64 and aarch64.

Only numbers: what becomes of the calls is `seccomp.py`'s. Sources: the kernel's arch/x86/entry/syscalls/syscall_64.tbl
and include/uapi/asm-generic/unistd.h (which aarch64 uses); tests compare with the headers of the machine.
"""

NEWEST = 469
"""The newest number that this page knows (Linux 6.17); what is above it is unheard of."""

X32 = 0x40000000
"""From here on, numbers on x86-64 are those of the x32 ABI."""

UNUSED = {"x86_64": ((335, 424),), "aarch64": ((244, 260), (295, 424))}
"""Numbers that no call of the table has, as (first, past the last); 335 and 336 on x86-64 are the kernel's own."""

_BY_ARCHITECTURE = """
accept 43 202               accept4 288 242             acct 163 89                 add_key 248 217
adjtimex 159 171            bind 49 200                 bpf 321 280                 capset 126 91
chmod 90 -                  chown 92 -                  chroot 161 51               clock_adjtime 305 266
clock_settime 227 112       clone 56 220                connect 42 203              delete_module 176 106
fadvise64 221 223           fallocate 285 47            preadv2 327 286             timer_create 222 107
fanotify_init 300 262       fanotify_mark 301 263       fchmod 91 52                fchmodat 268 53
fchown 93 55                fchownat 260 54             fcntl 72 25                 finit_module 313 273
flock 73 32                 fork 57 -                   fremovexattr 199 16         fsetxattr 190 7
futimesat 261 -             init_module 175 105         inotify_add_watch 254 27    inotify_init 253 -
inotify_init1 294 26        inotify_rm_watch 255 28     io_setup 206 0              ioctl 16 29
ioperm 173 -                iopl 172 -                  ioprio_set 251 30           kcmp 312 272
kexec_file_load 320 294     kexec_load 246 104          keyctl 250 219              kill 62 129
lchown 94 -                 listen 50 201               lookup_dcookie 212 18       lremovexattr 198 15
lsetxattr 189 6             mbind 237 235               memfd_create 319 279        migrate_pages 256 238
mknod 133 -                 mknodat 259 33              mlock 149 228               mlock2 325 284
mlockall 151 230            modify_ldt 154 -            mount 165 40                move_pages 279 239
mq_getsetattr 245 185       mq_notify 244 184           mq_open 240 180             mq_timedreceive 243 183
mq_timedsend 242 182        mq_unlink 241 181           msgctl 71 187               msgget 68 186
msgrcv 70 188               msgsnd 69 189               name_to_handle_at 303 264   open 2 -
open_by_handle_at 304 265   openat 257 56               perf_event_open 298 241     personality 135 92
pivot_root 155 41           prctl 157 167               prlimit64 302 261           process_vm_readv 310 270
process_vm_writev 311 271   ptrace 101 117              quotactl 179 60             reboot 169 142
removexattr 197 14          request_key 249 218         rt_sigqueueinfo 129 138     rt_tgsigqueueinfo 297 240
sched_setaffinity 203 122   sched_setattr 314 274       sched_setparam 142 118      sched_setscheduler 144 119
semctl 66 191               semget 64 190               semop 65 193                semtimedop 220 192
set_mempolicy 238 237       setdomainname 171 162       setfsgid 123 152            setfsuid 122 151
setgid 106 144              setgroups 116 159           sethostname 170 161         setns 308 268
setpgid 109 154             setpriority 141 140         setregid 114 143            setresgid 119 149
setresuid 117 147           setreuid 113 145            setsid 112 157              settimeofday 164 170
setuid 105 146              setxattr 188 5              shmat 30 196                shmctl 31 195
shmdt 67 197                shmget 29 194               socket 41 198               socketpair 53 199
swapoff 168 225             swapon 167 224              sync 162 81                 syncfs 306 267
syslog 103 116              tgkill 234 131              tkill 200 130               truncate 76 45
umount2 166 39              unshare 272 97              uselib 134 -                userfaultfd 323 282
utime 132 -                 utimensat 280 88            utimes 235 -                vfork 58 -
vhangup 153 58
"""
"""Name, number on x86-64, number on aarch64; calls that newer ones replaced do not exist there."""

_SINCE_424 = """
pidfd_send_signal 424   io_uring_setup 425      io_uring_enter 426      io_uring_register 427   open_tree 428
move_mount 429          fsopen 430              fsconfig 431            fsmount 432             fspick 433
pidfd_open 434          clone3 435              openat2 437             pidfd_getfd 438         process_madvise 440
mount_setattr 442       quotactl_fd 443         memfd_secret 447        process_mrelease 448
set_mempolicy_home_node 450                     cachestat 451           fchmodat2 452           statmount 457
listmount 458           lsm_set_self_attr 460   setxattrat 463          removexattrat 466       open_tree_attr 467
file_setattr 469
"""
"""Since 424 a new call has the same number everywhere."""


def numbers(arch: str) -> dict[str, int]:
    """The number of each call that exists on `x86_64` or `aarch64`."""
    words = iter(_BY_ARCHITECTURE.split())
    found = {
        name: aarch64 if arch == "aarch64" else x86_64
        for name, x86_64, aarch64 in zip(words, words, words, strict=True)
    }
    words = iter(_SINCE_424.split())
    found.update(zip(words, words, strict=True))
    return {name: int(number) for name, number in found.items() if number != "-"}
