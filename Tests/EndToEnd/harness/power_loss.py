# SPDX-License-Identifier: Apache-2.0
"""The content of a directory after a power loss. strace records every call that changes the directory. From this trace, `Disk`
computes what may be found after a power loss at any moment: everything that was synced, and any part of the rest.

The model is stricter than file systems are: after fsync, the content of a file is on the disk, but its name only after
fsync of the directory. Changes of names keep their order. Writes to a file that were not synced are kept or lost one by
one, and may be torn between sectors."""

import pathlib
import re
import typing

CALLS = ("open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,truncate,fallocate,"
         "unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,mkdir")
SECTOR, PAGE = 512, 4096

_HEX = re.compile(r"(?:\\x[0-9a-f]{2})+")
_WHOLE = re.compile(r"^(\d+) +(\d+\.\d+) (\w+)\((.*)\) += (-?\d+)")
_BEGUN = re.compile(r"^(\d+) +(\d+\.\d+) (\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+) +(\d+\.\d+) <\.\.\. (\w+) resumed>(.*)\) += (-?\d+)")


def recorded(trace):
    """The start of an engine's command line, with which strace writes the file `trace` for `Disk.read`."""
    return ["strace", "-D", "-f", "-q", "-y", "-xx", "-s", str(1 << 20), "--absolute-timestamps=format:unix,precision:ns",
            "--seccomp-bpf", "-e", "signal=SIGKILL", "-e", f"trace={CALLS}", "-o", str(trace)]


def is_whole(trace, process):
    """Whether the trace of a process that has ended is complete: strace may still be writing it."""
    return re.search(rf"^{process} +\S+ \+\+\+ ", trace.read_text(), re.MULTILINE)


def _text(found):
    return bytes.fromhex(found.replace("\\x", ""))


def _strings(text):
    """The strings among the arguments of a call, and the paths of its descriptors."""
    return ([_text(each[1:-1]) for each in re.findall(r'"(?:\\x[0-9a-f]{2})*"', text)],
            [_text(each[1:-1]).decode() for each in re.findall(r"<(?:\\x[0-9a-f]{2})+>", text)])


class Op(typing.NamedTuple):
    """A change, or a sync. Times are in nanoseconds since 1970."""
    began: int
    ended: int
    kind: str
    name: str
    # For a write: offset and bytes; for a change of length: the length; for a rename: the new name; for memory: the bytes.
    detail: object = None


def _calls(trace):
    """The calls of a trace that succeeded, with the times of their beginning and end."""
    waiting = {}
    for line in trace.read_text().splitlines():
        if found := _BEGUN.match(line):
            waiting[found[1], found[3]] = (_nanoseconds(found[2]), found[4])
        elif found := _RESUMED.match(line):
            began, text = waiting.pop((found[1], found[3]))
            if int(found[5]) >= 0:
                yield began, _nanoseconds(found[2]), found[3], text + found[4], int(found[5])
        elif (found := _WHOLE.match(line)) and int(found[5]) >= 0:
            began = _nanoseconds(found[2])
            yield began, began, found[3], found[4] + line[found.end():], int(found[5])


def _nanoseconds(text):
    whole, _, part = text.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


class _File:
    def __init__(self):
        # Writes and changes of length in their order; how many of them are on the disk; the offset at which `write` continues.
        self.ops, self.synced, self.end = [], 0, 0
        # The content of the file at some moments, if it is mapped into memory.
        self.images = []

    def content(self, keep):
        """The content of the file. For each operation that is not synced, `keep(op)` returns what is kept of it: the
        operation, a shorter one, or `None`."""
        content = bytearray()
        for number, op in enumerate(self.ops):
            kind, detail = op if number < self.synced else keep(op) or (None, None)
            if kind == "write":
                place, data = detail
                content.extend(bytes(max(0, place + len(data) - len(content))))
                content[place:place + len(data)] = data
            elif kind == "cut":
                del content[detail:]
                content.extend(bytes(detail - len(content)))
            elif kind == "grow":
                content.extend(bytes(max(0, detail - len(content))))
        return content


class Disk:
    """The changes of one directory by several processes, one after another. The directory is empty at first."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.ops, self.names = [], set()

    def read(self, trace):
        """Adds the operations of a process that has ended. Processes are added in the order in which they ran."""
        for began, ended, call, text, result in _calls(trace):
            strings, paths = _strings(text)
            self.ops += [Op(began, ended, kind, name, detail) for kind, name, detail in
                         self._changes(call, text, strings, paths, result)]
        self.ops.sort(key=lambda op: op.began)

    def add_memory(self, images):
        """Adds what was found in mapped files: time, name, bytes."""
        self.ops += [Op(time, time, "memory", name, image) for time, name, image in images]
        self.ops.sort(key=lambda op: op.began)

    def _name(self, path):
        """The name of a path in the directory; empty for the directory itself, `None` outside it."""
        path = pathlib.Path(path)
        if path == self.directory:
            return ""
        return path.name if path.parent == self.directory else None

    def _changes(self, call, text, strings, paths, result):
        if call in ("open", "openat", "creat"):
            name = self._name(paths[-1]) if paths else None
            if not name:
                return
            if name not in self.names and "O_CREAT" in text:
                self.names.add(name)
                yield "make", name, None
            elif "O_TRUNC" in text:
                yield "cut", name, 0
        elif call in ("unlink", "unlinkat"):
            name = self._name(strings[-1].decode())
            if name:
                self.names.discard(name)
                yield "remove", name, None
        elif call.startswith("rename"):
            old, new = (self._name(each.decode()) for each in strings[:2])
            assert (old is None) == (new is None), "a file is moved into the directory or out of it"
            if old:
                self.names.discard(old)
                self.names.add(new)
                yield "rename", old, new
        elif call in ("link", "linkat", "symlink", "mkdir", "truncate"):
            assert not any(self._name(each.decode(errors="replace")) for each in strings), f"{call} is not known here"
        elif paths and (name := self._name(paths[0])) is not None:
            numbers = re.findall(r"(?<=, )\d+", text)
            match call:
                case "fsync" | "fdatasync":
                    yield "sync", name, None
                case "ftruncate":
                    yield "cut", name, int(numbers[-1])
                case "fallocate":
                    yield "grow", name, int(numbers[-2]) + int(numbers[-1])
                case "write":
                    yield "append", name, strings[0][:result]
                case "pwrite64":
                    yield "write", name, (int(numbers[-1]), strings[0][:result])
                case _:
                    raise AssertionError(f"{call} is not known here")

    def after(self, count):
        """The changes of names by the first `count` operations, and how many of them are on the disk."""
        files, changes, synced, present = [], [], 0, {}
        for op in self.ops[:count]:
            file = present.get(op.name)
            if op.kind == "make":
                present[op.name] = _File()
                files.append(present[op.name])
                changes.append((op.name, present[op.name]))
            elif op.kind == "remove":
                present.pop(op.name, None)
                changes.append((op.name, None))
            elif op.kind == "rename":
                present[op.detail] = present.pop(op.name)
                changes += [((op.name, op.detail), present[op.detail])]
            elif op.kind == "sync" and not op.name:
                synced = len(changes)
            # A file that has been removed may still be open.
            elif file is not None:
                match op.kind:
                    case "sync":
                        file.synced = len(file.ops)
                    case "append":
                        file.ops.append(("write", (file.end, op.detail)))
                        file.end += len(op.detail)
                    case "memory":
                        file.images.append(op.detail)
                    case _:
                        file.ops.append((op.kind, op.detail))
                        file.end = 0 if op.kind == "cut" else file.end
        return changes, synced

    def leave(self, count, kept, chance):
        """The directory after a power loss that follows the first `count` operations: bytes by name.

        `kept` says what the disk has of the operations that are not synced: `all`, `none`, or `some` (drawn by `chance`)."""
        changes, synced = self.after(count)
        pending = len(changes) - synced
        names = {}
        for name, file in changes[:synced + {"all": pending, "none": 0, "some": chance.randint(0, pending)}[kept]]:
            if isinstance(name, tuple):
                names.pop(name[0], None)
                names[name[1]] = file
            elif file is None:
                names.pop(name, None)
            else:
                names[name] = file

        def keep(op):
            if kept != "some":
                return op if kept == "all" else None
            draw = chance.random()
            if draw < 0.5 or op[0] != "write" or draw > 0.9:
                return op if draw < 0.5 else None
            place, data = op[1]
            return "write", (place, data[:chance.randrange(0, len(data), SECTOR)])

        return {name: self._with_memory(file, file.content(keep), kept, chance) for name, file in names.items()}

    @staticmethod
    def _with_memory(file, content, kept, chance):
        if not file.images or kept == "none":
            return content
        if kept == "all":
            return bytearray(file.images[-1])
        # The kernel writes the pages of a mapped file at any time, so each page may be of a different moment.
        for start in range(0, len(content), PAGE):
            content[start:start + PAGE] = chance.choice([*file.images, content])[start:start + PAGE]
        return content

    def time(self, count):
        """When the operation after the first `count` began: only what happened before this time can have affected them."""
        return self.ops[count].began if count < len(self.ops) else 1 << 63

    def last_sync(self, count, name):
        """When the last sync of this file among the first `count` operations began: what was written before is on the disk."""
        return max((op.began for op in self.ops[:count] if op.kind == "sync" and op.name == name), default=0)
