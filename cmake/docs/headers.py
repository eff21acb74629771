# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Warpfold's public headers declare, and the comments that document it.

A small reader of C++ as Warpfold writes it, not a parser: it follows braces, and takes the name of a declaration from
its text. The site is made from what it finds, and tests/docs checks that all of it is documented.
"""
import pathlib
import re
from dataclasses import dataclass, replace

from cpp_text import classify, closing, is_constraint, without_templates

# Public headers beside those in warpfold/ itself: what users' kernels call, what ranks are made of, and what a
# public header includes for its users.
PUBLIC_IN_ROOMS = """
warpfold/warp/reduce.cuh warpfold/warp/scan.cuh warpfold/warp/batched_reduce.cuh
warpfold/block/reduce.cuh warpfold/block/scan.cuh
warpfold/host/launch.cuh warpfold/host/launch_watch.hpp warpfold/host/memory_resource.hpp
warpfold/exact/operator.cuh warpfold/host_memory/inputs.hpp warpfold/host_memory/options.hpp
warpfold/ranks/communicator.cuh warpfold/ranks/local.cuh warpfold/ranks/mpi.cuh warpfold/ranks/nccl.cuh
warpfold/ranks/options.hpp
warpfold_strategies/strategy.hpp
""".split()
# Namespaces for people. All others are rooms of the house, or nobody's.
PUBLIC_NAMESPACES = {"warpfold", "warpfold::warp", "warpfold::block", "warpfold::canonical_tree"}

# What operators have for the engines: operator_traits.hpp describes it once for all, and no operator again.
PROTOCOL = set("""
lift lift_chunk lower full skips_nan lift_full join_full of_full join_items assemble relative is_indexed selected
uncounted counted
""".split())
REFUSED = "// ---- what is refused"  # from here to the end of a header: overloads that only say why they do not compile


def public_headers(include):
    include = pathlib.Path(include)
    headers = sorted(path for path in (include / "warpfold").iterdir() if path.suffix in (".cuh", ".hpp"))
    return headers + [include / name for name in PUBLIC_IN_ROOMS]


@dataclass
class Declaration:
    kind: str            # function, type, concept, alias, variable; "member " before it for those of classes
    name: str            # with its namespaces and classes
    line: int            # of its first word
    comment: str         # what documents it, or nothing
    text: str            # without a function's or class's body
    namespace: str
    body: str = ""       # of an enumeration
    needs_comment: bool = True


def mask(text):
    """The text with comments, strings and preprocessor lines as spaces; and the comments that document, by line."""
    out = list(text)
    before, after = {}, {}  # what they document
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
    for match in pattern.finditer(text):
        piece = match.group()
        line = text.count("\n", 0, match.start()) + 1
        if piece.startswith("///<"):
            after[line] = piece[4:].strip()
        elif piece.startswith("///"):
            before[line] = piece[4:] if piece[3:4] == " " else piece[3:]
        for i in range(match.start(), match.end()):
            if out[i] != "\n":
                out[i] = " "
    return "".join(out), before, after


@dataclass
class Scope:
    name: str = ""       # with its namespaces and classes
    namespace: str = ""
    is_class: bool = False
    is_public: bool = True

    def needs_comment(self, name):
        """A class documents its constructors and operators, and the protocol is described once."""
        return not self.is_class or not (name.startswith(("operator", "~")) or name in PROTOCOL
                                         or name == self.name.split("::")[-1])


class Reader:
    """Reads a header from brace to brace."""

    def __init__(self, text):
        if REFUSED in text:
            text = text[:text.index(REFUSED)] + "}  }"  # of both namespaces
        self.text = text
        self.code, self.before, self.after = mask(text)
        self.lines = self.code.split("\n")
        self.found = []

    def read(self, begin, end, scope):
        """All declarations between two places, which are in `scope`."""
        scope = replace(scope)
        while True:
            begin += len(re.match(r"[\s;]*", self.code[begin:end]).group())
            if begin >= end:
                return
            access = re.match(r"(public|private|protected)\s*:(?!:)", self.code[begin:end]) if scope.is_class else None
            if access:
                scope.is_public = access.group(1) == "public"
                begin += access.end()
            else:
                begin = self.declaration(begin, end, scope) + 1

    def head_end(self, begin, end):
        """The `;` or the `{` behind what is declared from `begin` on."""
        i = begin
        while i < end and self.code[i] not in ";{":
            if self.code[i] in "([":
                i = closing(self.code, i, "()" if self.code[i] == "(" else "[]")
            elif self.code[i] == "<" and self.code[begin:i].strip() == "template":
                i = closing(self.code, i, "<>")
            i += 1
        return i

    def statement_end(self, begin):
        """The next `;` outside braces."""
        while self.code[begin] != ";":
            begin = closing(self.code, begin) + 1 if self.code[begin] == "{" else begin + 1
        return begin

    def declaration(self, begin, end, scope):
        """Reads one, and returns its last place."""
        opening = self.head_end(begin, end)
        head = self.code[begin:opening]
        if opening == end or self.code[opening] == ";":
            self.note(classify(head), begin, opening, scope)
            return opening
        last = closing(self.code, opening)
        namespace = re.match(r"(inline\s+)?namespace\s*([\w:]*)(\s+\w+)*\s*$", head)
        if namespace:
            inner = scope.name if namespace.group(1) else "::".join(filter(None, [scope.name, namespace.group(2)]))
            self.read(opening + 1, last, Scope(inner, inner))
            return last
        kind, plain = classify(head), without_templates(head)
        if plain.startswith("concept") or kind and kind[0] == "variable":  # which go on behind their braces
            last = self.statement_end(last)
            self.note(kind, begin, last, scope)
        elif is_constraint(head):  # the braces are those of a constraint: what it constrains stands behind them
            opening = self.head_end(last + 1, end)
            kind = classify(head[:head.index("requires")] + self.code[last + 1:opening])
            last = closing(self.code, opening) if self.code[opening] == "{" else opening
            self.note(kind, begin, opening, scope)
        elif kind and kind[0] == "type":
            self.type(kind, plain, begin, opening, last, scope)
        else:
            self.note(kind, begin, opening, scope)
        return last

    def type(self, kind, plain, begin, opening, last, scope):
        one = self.note(kind, begin, last, scope)
        if one is None:
            return
        one.text = self.text[begin:opening].strip()
        if plain.startswith("enum"):
            one.body = self.text[opening:last + 1]
        else:
            self.read(opening + 1, last, Scope(one.name, scope.namespace, True, plain.startswith("struct")))

    def note(self, kind, begin, end, scope):
        """Keeps a declaration that is for people."""
        if not kind or not scope.is_public or scope.namespace not in PUBLIC_NAMESPACES:
            return None
        first, last = (self.code.count("\n", 0, place) + 1 for place in (begin, end))
        one = Declaration(("member " if scope.is_class else "") + kind[0], scope.name + "::" + kind[1], first,
                          self.comment(first, last), self.text[begin:end].strip(), scope.namespace,
                          needs_comment=scope.needs_comment(kind[1]))
        self.found.append(one)
        return one

    def comment(self, first, last):
        """The documentation of what stands in these lines."""
        lines = []
        while first - 1 in self.before:
            first -= 1
            lines.insert(0, self.before[first])
        while last in self.after:
            lines.append(self.after[last])
            last += 1
            if self.lines[last - 1].strip():  # it is of the next declaration
                break
        return "\n".join(lines)


def declarations(path):
    """All declarations of a header, in order, in the namespaces for people. Private members are left out."""
    reader = Reader(pathlib.Path(path).read_text())
    reader.read(0, len(reader.code), Scope())
    return reader.found


if __name__ == "__main__":
    import sys
    for header in public_headers(sys.argv[1]):
        for one in declarations(header):
            if one.needs_comment and not one.comment:
                print(f"{header.relative_to(sys.argv[1])}:{one.line}: {one.kind} {one.name}")
