# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a declaration of C++ declares, from its text alone. Comments and strings have been blanked out."""
import re


def closing(text, start, pair="{}"):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == pair[0]:
            depth += 1
        elif text[i] == pair[1] and text[i - 1:i + 1] != "->":
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
        text = text[closing(text, text.index("<"), "<>") + 1:].strip()
        if text.startswith("requires"):
            text = without_constraint(text[len("requires"):].strip())
    return text


def classify(text):
    """(kind, name) of a declaration without its body, or None for what declares no new name."""
    full = text.strip()
    text = without_templates(full)
    if not text or full.startswith(("using namespace", "static_assert", "friend", "template struct",
                                    "extern template")):
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
    match = re.match(r"(struct|class|union|enum(?:\s+class)?)\s+"
                     r"(?:alignas\s*\([^)]*\)\s*|\[\[.*?\]\]\s*|__\w+__\s*\(\(.*?\)\)\s*|[A-Z_]+\s+)*"
                     r"([\w:]+)\s*(<)?", text)
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
