"""A small assembler for the classic BPF of seccomp filters: decisions in, bytes out.

It knows the machine, and nothing of what is decided with it. A program is laid from its last instruction to its first:
jumps only go forward, so the target of a jump is there already, and its distance is known at once. A label is the
number of an instruction, counted from the end; the laying methods return one, for the instructions that come before it.

A decision can jump over FAR instructions at most. Where a target is further away, a nearer instruction is laid that
leads there (`_hop`), and later jumps use it too. Standard library only, and cheap to import.
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
    """Return the answer that fails a system call with this errno."""
    return 0x00050000 | number


ASK = (ANSWER, 0, 0, 0x7FC00000)
"""The instruction that has the kernel ask a listener, SECCOMP_RET_USER_NOTIF."""


def refuses(instruction: tuple[int, ...]) -> bool:
    """Return whether an instruction fails the system call with an errno."""
    return instruction[0] == ANSWER and instruction[3] >> 16 == 5


def argument(index: int) -> int:
    """Return the offset of the low 32 bits of an argument, on a little-endian machine."""
    return 16 + 8 * index


class Code:
    """The instructions of one program; equal ones are laid once."""

    def __init__(self) -> None:
        self._laid: list[tuple[int, int, int, int]] = []
        self._labels: dict[tuple[int, ...], int] = {}
        self._nearest: dict[int, int] = {}
        """The nearest instruction that leads to a label, where one was laid."""

    def answer(self, value: int) -> int:
        """End the program with this answer."""
        return self._once((ANSWER, value), (ANSWER, 0, 0, value))

    def load(self, offset: int, then: int) -> int:
        """Load 32 bits of the call's data, and go on at `then`."""
        return self._fall_through(LOAD, offset, then)

    def mask(self, bits: int, then: int) -> int:
        """Clear all but these bits of the loaded value, and go on at `then`."""
        return self._fall_through(MASK, bits, then)

    def decide(self, test: int, operand: int, yes: int, no: int) -> int:
        """Go on at `yes` when the loaded value passes the test, else at `no`."""
        key = (test, operand, yes, no)
        if key in self._labels:
            return self._labels[key]
        if yes == no:
            return yes
        no = self._within(no, FAR - 1)  # a hop for `yes` would come between
        yes = self._within(yes, FAR)
        return self._once(key, (test, self._distance(yes), self._distance(no), operand))

    def program(self, first: int) -> bytes:
        """Return the array of struct sock_filter that begins at this label."""
        if self._distance(first):
            self._hop(first)
        return b"".join(INSTRUCTION.pack(*instruction) for instruction in reversed(self._laid))

    def _fall_through(self, code: int, operand: int, then: int) -> int:
        """Lay an instruction that cannot jump, so `then` must come right behind it."""
        key = (code, operand, then)
        if key not in self._labels and self._distance(then):
            self._hop(then)
        return self._once(key, (code, 0, 0, operand))

    def _once(self, key: tuple[int, ...], instruction: tuple[int, int, int, int]) -> int:
        if key not in self._labels:
            self._labels[key] = self._lay(instruction)
        return self._labels[key]

    def _lay(self, instruction: tuple[int, int, int, int]) -> int:
        self._laid.append(instruction)
        return len(self._laid) - 1

    def _distance(self, label: int) -> int:
        """Return the number of instructions between the next one to be laid and this label."""
        return len(self._laid) - 1 - label

    def _within(self, label: int, reach: int) -> int:
        """Return this label, or a nearer one that leads there."""
        near = self._nearest.get(label, label)
        return near if self._distance(near) <= reach else self._hop(label)

    def _hop(self, label: int) -> int:
        """Lay a jump to a label that is far, or a copy of it where it is an answer, which is as short."""
        target = self._laid[label]
        self._nearest[label] = self._lay(target if target[0] == ANSWER else (JUMP, 0, 0, self._distance(label)))
        return self._nearest[label]
