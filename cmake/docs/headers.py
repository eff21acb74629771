# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Warpfold's public headers declare, and the comments that document it.

A small reader of C++ as Warpfold writes it, not a parser: it follows braces, and takes the name of a declaration from
its text. The site is made from what it finds, and tests/docs checks that all of it is documented.
"""
import pathlib
import re
from dataclasses import dataclass

# Public headers beside those in warpfold/ itself: what users' kernels call, what ranks are made of, and what a
# public header includes for its users.
PUBLIC_IN_ROOMS = """
warpfold/warp/reduce.cuh warpfold/warp/scan.cuh warpfold/warp/batched_reduce.cuh
warpfold/block/reduce.cuh warpfold/block/scan.cuh warpfold/host/launch.cuh warpfold/host/memory_resource.hpp
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
    """The text with comments, strings and preprocessor lines as spaces; and the comments that document, by their lines."""
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


def closing(text, start, pair="{}"):
    depth = 0
    for i in range(start, len(text)):
        if text[i] == pair[0]:
            depth += 1
        elif text[i] == pair[1]:
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("unbalanced " + pair)


def without_constraint(text):
    """`text` behind a constraint in front of it: a<b>, or (...), or several joined by && and ||."""
    while True:
        if text.startswith("("):
            end = closing(text, 0, "()") + 1
        else:
            end = re.match(r"[\w:]*", text).end()
            if text[end:end + 1] == "<":
                end = closing(text, end, "<>") + 1
        text = text[end:].strip()
        if not text.startswith(("&&", "||")):
            return text
        text = text[2:].strip()


def without_templates(text):
    """`text` without its template heads and requires-clauses in front of the declared name."""
    text = text.strip()
    while text.startswith("template"):
        begin = text.index("<")
        depth = 0
        for i in range(begin, len(text)):
            if text[i] == "<":
                depth += 1
            elif text[i] == ">" and text[i - 1] != "-":
                depth -= 1
                if depth == 0:
                    break
        text = text[i + 1:].strip()
        if text.startswith("requires"):
            text = without_constraint(text[len("requires"):].strip())
    return text


def classify(text):
    """(kind, name) of a declaration without its body, or None for what declares no new name."""
    full = text.strip()
    text = without_templates(full)
    if not text or full.startswith(("using namespace", "static_assert", "friend", "template struct", "extern template")):
        return None
    if full.startswith("template <>") or full.startswith("template<>"):
        return None  # a specialisation
    match = re.match(r"using\s+(\w+)\s*(\[\[.*?\]\]\s*)?=", text)
    if match:
        return "alias", match.group(1)
    if text.startswith("using "):
        return None  # a name of a base class, documented there
    if text.startswith(("typedef", "__extension__ typedef")):
        return "alias", re.search(r"(\w+)$", text).group(1)
    match = re.match(r"concept\s+(\w+)", text)
    if match:
        return "concept", match.group(1)
    match = re.match(r"(struct|class|union|enum(?:\s+class)?)\s+(?:alignas\s*\([^)]*\)\s*|\[\[.*?\]\]\s*|__\w+__\s*\(\(.*?\)\)\s*"
                     r"|[A-Z_]+\s+)*([\w:]+)\s*(<)?", text)
    if match:
        if match.group(3) or "::" in match.group(2):
            return None  # a specialisation
        return "type", match.group(2)
    if re.match(r"friend\b", text):
        return None
    # A function has parentheses before any `=` or `{` outside of angle brackets.
    head = text
    match = re.search(r"\boperator\s*(\(\s*\)|\"\"\s*\w+|[^\s(\w]+|bool\b|\w+[^(]*)\s*\(", head)
    if match:
        return "function", "operator" + re.sub(r"\s", "", match.group(1))
    depth = 0
    for i, c in enumerate(head):
        if c == "<" and re.search(r"\w\s*$", head[:i]):
            depth += 1
        elif c == ">" and depth and head[i - 1] != "-":
            depth -= 1
        elif c == "=" and depth == 0:
            name = re.search(r"([~\w]+)\s*(<[^=]*>)?\s*(\[[^\]]*\]\s*)*$", head[:i])
            if not name or name.group(2):
                return None
            return "variable", name.group(1)
        elif c == "(" and depth == 0:
            name = re.search(r"(~?\w+)\s*$", head[:i])
            if not name:
                continue
            if name.group(1) in ("__attribute__", "alignas", "requires", "decltype", "explicit", "noexcept",
                                 "__launch_bounds__"):
                end = closing(head, i, "()")
                rest = head[end + 1:]
                return classify(rest) if rest.strip() else None
            if re.search(r"->\s*[\w:<>, ]+$", head):  # a deduction guide has no type before its name
                if head.strip().startswith(name.group(1)):
                    return None
            return "function", name.group(1)
    name = re.search(r"([~\w]+)\s*(\[[^\]]*\]\s*)*$", head)
    return ("variable", name.group(1)) if name else None


def is_constraint(head):
    """Whether the braces behind `head` are those of a requires-expression, not of what is declared."""
    match = re.search(r"requires(\s*\([^()]*\))?\s*$", head)
    if not match:
        return False
    before = classify(head[:match.start()])
    return not match.group(1) or not before or before[0] != "function"


def declarations(path):
    """All declarations of a header, in order, in the namespaces for people. Private members are left out."""
    text = pathlib.Path(path).read_text()
    if REFUSED in text:
        text = text[:text.index(REFUSED)] + "}  }"  # of both namespaces
    masked, before, after = mask(text)
    line_of = [1]
    for c in masked:
        line_of.append(line_of[-1] + (c == "\n"))
    masked_lines = masked.split("\n")
    found = []

    def comment_of(first, last):
        lines = []
        line = first - 1
        while line in before:
            lines.insert(0, before[line])
            line -= 1
        if last in after:
            lines.append(after[last])
            while last + 1 in after and not masked_lines[last].strip():  # it goes on
                last += 1
                lines.append(after[last])
        return "\n".join(lines)

    def scan(begin, end, scope, is_class, is_public, space=""):
        i = begin
        while i < end:
            while i < end and (masked[i].isspace() or masked[i] == ";"):
                i += 1
            if i >= end:
                return
            access = re.match(r"(public|private|protected)\s*:(?!:)", masked[i:end]) if is_class else None
            if access:
                is_public = access.group(1) == "public"
                i += access.end()
                continue
            start = i
            # To the end of the declaration: `;`, or a body, at the depth of this scope.
            while i < end and masked[i] not in ";{":
                if masked[i] in "([":
                    i = closing(masked, i, "()" if masked[i] == "(" else "[]")
                elif masked[i] == "<" and masked[start:i].strip() == "template":
                    depth = 0
                    while True:
                        if masked[i] == "<":
                            depth += 1
                        elif masked[i] == ">" and masked[i - 1] != "-":
                            depth -= 1
                            if depth == 0:
                                break
                        elif masked[i] == "(":
                            i = closing(masked, i, "()")
                        i += 1
                i += 1
            head = masked[start:i]
            if i < end and masked[i] == "{":
                body_end = closing(masked, i)
                namespace = re.match(r"\s*(inline\s+)?namespace\s*([\w:]*)(\s+\w+)*\s*$", head)
                if namespace and not is_class:
                    inner = scope if namespace.group(1) else "::".join(filter(None, [scope, namespace.group(2)]))
                    scan(i + 1, body_end, inner, False, True, inner)
                    i = body_end + 1
                    continue
                kind = classify(head)
                stripped = without_templates(head)
                if stripped.startswith("concept") or is_constraint(head):
                    # a requires-expression, which goes on
                    i = body_end + 1
                    j = masked.find(";", i)
                    brace = masked.find("{", i)
                    if stripped.startswith("concept"):
                        depth_end = i
                        while masked[depth_end] != ";":
                            if masked[depth_end] == "{":
                                depth_end = closing(masked, depth_end)
                            depth_end += 1
                        note(kind, start, depth_end, scope, is_class, is_public, space)
                        i = depth_end + 1
                        continue
                    # a constraint, in braces, in front of the declaration: go on to its end
                    rest = i
                    while masked[rest] not in ";{":
                        rest += 1
                    kind = classify(masked[start:i].split("requires")[0] + masked[i:rest])
                    note(kind, start, rest, scope, is_class, is_public, space)
                    i = (closing(masked, rest) if masked[rest] == "{" else rest) + 1
                    continue
                is_enum = stripped.startswith("enum")
                after = body_end + 1
                if kind and kind[0] == "type" or (kind is None and re.match(r"(struct|class|union)\b", stripped)):
                    one = note(kind, start, body_end, scope, is_class, is_public, space)
                    if one:
                        one.text = text[start:i].strip()
                        if is_enum:
                            one.body = text[i:body_end + 1]
                    if kind and is_public and not is_enum:
                        scan(i + 1, body_end, scope + "::" + kind[1], True, stripped.startswith("struct"), space)
                    i = after
                    continue
                if kind and kind[0] == "variable":  # an initialiser in braces
                    j = masked.find(";", after)
                    note(kind, start, j, scope, is_class, is_public, space)
                    i = j + 1
                    continue
                note(kind, start, i, scope, is_class, is_public, space)
                i = after
                continue
            note(classify(head), start, i, scope, is_class, is_public, space)
            i += 1

    def note(kind, start, end, scope, is_class, is_public, space):
        if not kind or not is_public:
            return None
        if space not in PUBLIC_NAMESPACES:
            return None
        # The class documents its constructors and operators, and the protocol is described once.
        needs_comment = not (is_class and (kind[1].startswith(("operator", "~")) or kind[1] in PROTOCOL
                                           or kind[1] == scope.split("::")[-1]))
        first, last = line_of[start], line_of[min(end, len(masked) - 1)]
        one = Declaration(("member " if is_class else "") + kind[0], scope + "::" + kind[1], first,
                          comment_of(first, last), text[start:end].strip(), space,
                          needs_comment=needs_comment)
        found.append(one)
        return one

    scan(0, len(masked), "", False, True)
    return found


if __name__ == "__main__":
    import sys
    for header in public_headers(sys.argv[1]):
        for one in declarations(header):
            if one.needs_comment and not one.comment:
                print(f"{header.relative_to(sys.argv[1])}:{one.line}: {one.kind} {one.name}")
