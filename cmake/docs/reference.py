# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each public header as Doxygen reads it: plain declarations with their comments, without bodies, specialisations and
what is not for people. The comment at a header's head becomes a page of the reference, with what it declares below.
"""
import os
import posixpath
import re
import sys

import cpp_text
import headers

# Every public header has a place here, or the site is not made.
REFERENCE = {
    "Functions": """reduce.cuh device_count.cuh segmented_reduce.cuh reduce_by_key.cuh reduce_axes.cuh scan.cuh
        device_count_scan.cuh device_count_by_key.cuh device_count_axes.cuh
        device_count_scan_axes.cuh device_count_scan_by_key.cuh segmented_scan.cuh scan_by_key.cuh scan_axes.cuh
        arg_reduce.cuh arg_reduce_by.cuh top_k.cuh top_k_axes.cuh
        quantifiers.cuh vector_reductions.cuh""",
    "Operators": """operators.hpp exact_plus.cuh exact/operator.cuh compensated_plus.hpp fuse.hpp where.hpp statistics.hpp
        moments_of.hpp top_k_operators.hpp arg_operators.hpp arg_by_operators.hpp vector_operators.hpp
        log_sum_exp_operator.hpp operator_traits.hpp folded_type.hpp""",
    "Arguments, options, errors, what runs": """options.hpp call_options.hpp segments.hpp strided.hpp outputs.hpp
        iterators.hpp conversion.hpp narrowing.hpp fused.hpp item_count.hpp stream_argument.hpp equal_to.hpp
        workspace.cuh host/memory_resource.hpp error.hpp explain.hpp nvtx.hpp host/launch_watch.hpp""",
    "Parts, host memory and several GPUs": """reduce_part.cuh accumulation.cuh canonical_nodes.hpp canonical_tree.hpp
        host_memory.cuh host_memory_segments.cuh host_memory_scan.cuh host_memory/inputs.hpp host_memory/options.hpp
        ranks.cuh ranks_scan.cuh ranks_axes.cuh ranks_segments.cuh ranks_by_key.cuh ranks/local.cuh ranks/nccl.cuh
        ranks/mpi.cuh ranks/communicator.cuh ranks/options.hpp""",
    "In your own kernels": """warp/reduce.cuh warp/batched_reduce.cuh warp/scan.cuh block/reduce.cuh block/scan.cuh
        host/launch.cuh""",
    "The build, and the sources' strategies": """warpfold.cuh wf.hpp config.hpp standard.hpp int128.hpp version.hpp
        strategies.cuh ../warpfold_strategies/strategy.hpp""",
}


# ---- text ------------------------------------------------------------------------------------------------------------


def outside_code(text, change):
    """`change` applied to what is not between backticks."""
    pieces = re.split(r"(`[^`\n]*`)", text)
    return "".join(code(piece) if i % 2 else change(piece) for i, piece in enumerate(pieces))


def code(piece):
    """Code in backticks. At an apostrophe Doxygen would end it: such code has none of its links, either."""
    if "'" not in piece:
        return piece
    piece = piece.strip("`").replace("&#124;", "|").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    piece = re.sub(r"([\\@#%])", r"\\\1", piece).replace("::", "\\::").replace("|", "&#124;").replace("*", "&#42;")
    return f"<code>{piece}</code>"


def escaped(text):
    """Prose of a comment, in which C++ stands without backticks, for Doxygen's Markdown."""
    def escape(piece):
        piece = piece.replace("\\", "\\\\").replace("@", "\\@").replace("<", "\\<").replace(">", "\\>")
        piece = re.sub(r"(?<!^)\*|^\*(?! )", r"\\*", piece)
        piece = re.sub(r"(?<!\w)_", r"\\_", piece)
        piece = piece.replace("#", "\\#").replace("%", "%%").replace("::", "\\::")
        return re.sub(r"(?<![\w/.])(\w+/)?\w+\.(cuh|hpp)\b", header_link, piece)
    return "\n".join(outside_code(line, escape) for line in text.split("\n"))


def header_link(match):
    """A header's name as a link to its page, if it has one."""
    name = match.group()
    return f'@ref {group_id(name)} "{name}"' if name in " ".join(REFERENCE.values()).split() else name


def comment_page(text):
    """The comment at the head of a header as Markdown: indented lines behind an empty one are code."""
    out, code, last, in_list = [], False, "", False
    for line in text.split("\n"):
        indented = line.startswith("  ") and not line.strip().startswith("|")
        if indented and not code and last == "" and not (in_list and line.strip().startswith("-")):
            out.append("```cpp")
            code = True
        elif code and line and not indented:
            out.append("```")
            code = False
        if line.startswith("- "):
            in_list = True
        elif line and not line.startswith(" "):
            in_list = False
        if code:
            out.append(line[2:])
        elif line.startswith("|") or re.match(r" +\|", line):
            out.append(table_row(line))
        else:
            out.append(escaped(line))
        last = line
    if code:
        out.append("```")
    return re.sub(r"\n+```\n", "\n```\n", "\n".join(out))


def table_row(line):
    if re.fullmatch(r"[|\s:-]+", line):
        return line
    return outside_code(line, lambda piece: escaped(piece))


def head_comment(text):
    lines = []
    for line in text.split("\n")[1:]:
        if not line.startswith("//"):
            break
        lines.append(line[3:] if line.startswith("// ") else line[2:])
    return "\n".join(lines)


# ---- reference -------------------------------------------------------------------------------------------------------


def plain(head):
    """A declaration as people want to read it."""
    head = re.sub(r"__host__ __device__ |WARPFOLD_JIT |WARPFOLD_EXPORTED |inline |__extension__ ", "", head)
    head = re.sub(r"\[\[[^]]*\]\] |__attribute__\(\(\w+\)\) ", "", head)
    head = re.sub(r"const std::type_identity_t<(.*?)>& options", r"const \1& options", head, flags=re.S)
    head = head.replace("warpfold::", "")
    for options in ("detail::arg_options<", "detail::arg_by_options<", "detail::options_for<"):  # are reduce_options
        while options in head:
            begin = head.index(options)
            end = cpp_text.closing(head, begin + len(options) - 1, "<>")
            head = head[:begin] + "reduce_options<...>" + head[end + 1:]
    return re.sub(r"\bdetail::|\bhost_side::", "", head)


def documented(comment, declaration, group=None):
    return "/**\n" + (f"@ingroup {group}\n" if group else "") + escaped(comment) + "\n*/\n" + declaration + "\n"


def called_like(variable, text, group):
    """The overloads of a function object, whose class stands in `text`."""
    match = re.search(r"detail::(\w+)<", variable.text)
    if not match or "constexpr detail::" not in variable.text:
        return None
    name = variable.name.split("::")[-1]
    begin = re.search(r"struct " + match.group(1) + r"\b", text).start()
    begin = text.index("{", begin)
    body = text[begin:cpp_text.closing(text, begin)]
    heads = re.findall(r"((?:  ///[^\n]*\n)+)  (template <.*?)operator\(\)(\(.*?\)) const \{", body, re.S)
    out = ""
    for i, (comment, head, parameters) in enumerate(heads):
        said = variable.comment if i == 0 else "The same of `count` items from `first` on."
        head = re.sub(r"\btype $", "auto ", plain(head))
        out += documented(said, head + plain(name + parameters) + ";", group)
    return out


def class_text(one, all_of_header):
    """A class with its public members."""
    inner = one.name + "::"
    members = [d for d in all_of_header if d.name.startswith(inner) and "::" not in d.name[len(inner):]]
    text = plain(re.sub(r"\s*:\s*(public\s+)?detail::.*$", "", one.text, flags=re.S))  # without a base of no concern
    out = text + " {\n public:\n"
    own_name = one.name.split("::")[-1]
    for member in members:
        is_constructor = member.name == inner + own_name and "= delete" not in member.text
        if not member.comment and not is_constructor:
            continue
        body = class_text(member, all_of_header) if member.kind == "member type" else plain(member.text)
        if is_constructor:  # without its initialisers
            body = re.sub(r"\)\s*(noexcept\s*)?:\s.*$", ")", body, flags=re.S)
        out += documented(member.comment, body + ";") if member.comment else body + ";\n"
    return out + "}"


def reference_of(path, name, group):
    """The header as Doxygen reads it."""
    text = path.read_text()
    found = headers.declarations(path)
    page = comment_page(head_comment(text))
    own = group_id(name)
    path_name = posixpath.normpath("warpfold/" + name)
    title = path_name.removeprefix("warpfold/")
    out = f"/**\n@defgroup {own} {title}\n@ingroup {group}\n\n{page}\n\n`#include <{path_name}>`\n*/\n"
    namespace = None
    for one in found:
        if one.kind.startswith("member"):
            continue
        if one.namespace != namespace:
            out += ("}\n" if namespace else "") + f"namespace {one.namespace} {{\n"
            namespace = one.namespace
        called = called_like(one, text, own) if one.kind == "variable" else None
        if called:
            out += called
        elif one.kind == "type" and one.body:
            out += documented(one.comment, plain(one.text) + " " + one.body + ";", own)
        elif one.kind == "type":
            out += documented(one.comment, class_text(one, found) + ";", own)
        else:
            out += documented(one.comment, plain(one.text) + ";", own)
    return out + ("}\n" if namespace else "")


def group_id(name):
    return "header_" + re.sub(r"\W", "_", name.removeprefix("../"))


def write(source, stage):
    """Writes all of them, and returns which page a header has."""
    placed = {}
    groups = "/**\n@namespace warpfold\n@brief Reductions and scans. Its short name is `wf` (wf.hpp).\n*/\n"
    for i, (title, names) in enumerate(REFERENCE.items()):
        groups += f"/** @defgroup part_{i} {title} */\n"
        for name in names.split():
            placed[name] = f"part_{i}"
    folder = stage / "reference"
    folder.mkdir(parents=True)
    (folder / "00_groups.hpp").write_text(groups)
    include = source / "include" / "warpfold"
    paths = {os.path.relpath(path, include): path for path in headers.public_headers(source / "include")}
    missing = sorted(set(paths) ^ set(placed))
    if missing:
        sys.exit("reference.py: REFERENCE has no place for, or names what is no public header: " + " ".join(missing))
    for i, (name, group) in enumerate(placed.items()):
        text = reference_of(paths[name], name, group)
        (folder / f"{i + 1:02}_{re.sub('[^a-z0-9]', '_', name)}.hpp").write_text(text)
    return {posixpath.normpath("include/warpfold/" + name): group_id(name) for name in placed}
