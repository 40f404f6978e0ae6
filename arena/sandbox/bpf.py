"""A tiny assembler for the classic BPF of seccomp filters: decisions in, bytes out.

It knows the machine and nothing of what is decided with it. A program is laid down from its last instruction to its
first: jumps only go forward, so that whatever one aims at is there already, and its distance is known at once. A place
is a number that the laying methods return; it is used for what comes before it. Stdlib only and cheap to import.
Source: the kernel's Documentation/networking/filter.rst and Documentation/userspace-api/seccomp_filter.rst.
"""

import struct

LOAD, MASK, ANSWER, JUMP = 0x20, 0x54, 0x06, 0x05  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K, BPF_JMP|JA
EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45  # BPF_JMP|K with JEQ, JGE, JSET

ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000
NUMBER, ARCHITECTURE = 0, 4
"""Offsets in struct seccomp_data."""

FAR = 255  # the most instructions that a decision can jump over
INSTRUCTION = struct.Struct("=HBBI")  # struct sock_filter: code, over if true, over if false, operand


def refuse(number: int) -> int:
    """The answer that fails a system call with this errno."""
    return 0x00050000 | number


def argument(index: int) -> int:
    """Offset of the low 32 bits of an argument, on a little-endian machine."""
    return 16 + 8 * index


class Code:
    """The instructions of one program; equal ones are laid once."""

    def __init__(self) -> None:
        self._laid: list[tuple[int, int, int, int]] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._nearest: dict[int, int] = {}

    def answer(self, value: int) -> int:
        """End with this answer."""
        return self._once((ANSWER, value), (ANSWER, 0, 0, value))

    def load(self, offset: int, then: int) -> int:
        """Take 32 bits of what is asked, and go on at `then`."""
        return self._before(then, LOAD, offset)

    def mask(self, bits: int, then: int) -> int:
        """Keep these bits of what was taken, and go on at `then`."""
        return self._before(then, MASK, bits)

    def decide(self, test: int, operand: int, yes: int, no: int) -> int:
        """Go on at `yes` when what was taken passes the test, else at `no`."""
        key = (test, operand, yes, no)
        if key in self._known:
            return self._known[key]
        if yes == no:
            return yes
        no = self._within(no, FAR - 1)  # a hop for `yes` would come between
        yes = self._within(yes, FAR)
        return self._once(key, (test, self._over(yes), self._over(no), operand))

    def program(self, first: int) -> bytes:
        """The array of struct sock_filter that begins at this place."""
        if self._over(first):
            self._hop(first)
        return b"".join(INSTRUCTION.pack(*instruction) for instruction in reversed(self._laid))

    def _before(self, then: int, code: int, operand: int) -> int:
        """An instruction that falls through: what comes next has to be right behind it."""
        key = (code, operand, then)
        if key not in self._known and self._over(then):
            self._hop(then)
        return self._once(key, (code, 0, 0, operand))

    def _once(self, key: tuple[int, ...], instruction: tuple[int, int, int, int]) -> int:
        if key not in self._known:
            self._known[key] = self._lay(instruction)
        return self._known[key]

    def _lay(self, instruction: tuple[int, int, int, int]) -> int:
        self._laid.append(instruction)
        return len(self._laid) - 1

    def _over(self, place: int) -> int:
        """How many instructions are between the next one to be laid and this place."""
        return len(self._laid) - 1 - place

    def _within(self, place: int, reach: int) -> int:
        """This place, or a nearer one that leads there."""
        near = self._nearest.get(place, place)
        return near if self._over(near) <= reach else self._hop(place)

    def _hop(self, place: int) -> int:
        """Lay a way to a place that is far; an answer is as short as a jump to one."""
        goal = self._laid[place]
        self._nearest[place] = self._lay(goal if goal[0] == ANSWER else (JUMP, 0, 0, self._over(place)))
        return self._nearest[place]
