# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what Doxygen reads: python3 pages.py SOURCE_DIRECTORY STAGE_DIRECTORY SITE_DIRECTORY
Mends what it has made:   python3 pages.py SITE_DIRECTORY

- reference/: each public header as plain declarations with their comments, without bodies, specialisations and what is
  not for people. The comment at its head becomes a page of the reference, with what it declares below.
- pages/: the task pages, from the programs in examples/tasks; and all Markdown pages that one can reach from the start
  page. Their links lead to pages of the site, or to copies of the files that they name.
"""
import os
import pathlib
import posixpath
import re
import shutil
import sys

import headers

# Every public header has a place here: pages.py stops at one that has none.
REFERENCE = {
    "Functions": """reduce.cuh segmented_reduce.cuh reduce_by_key.cuh reduce_axes.cuh scan.cuh segmented_scan.cuh
        scan_by_key.cuh scan_axes.cuh arg_reduce.cuh arg_reduce_by.cuh quantifiers.cuh vector_reductions.cuh""",
    "Operators": """operators.hpp exact_plus.cuh exact/operator.cuh compensated_plus.hpp fuse.hpp statistics.hpp top_k_operators.hpp
        arg_operators.hpp arg_by_operators.hpp vector_operators.hpp log_sum_exp_operator.hpp operator_traits.hpp
        folded_type.hpp""",
    "Arguments, options and errors": """options.hpp call_options.hpp segments.hpp strided.hpp outputs.hpp fused.hpp
        item_count.hpp stream_argument.hpp equal_to.hpp workspace.cuh host/memory_resource.hpp error.hpp""",
    "Parts, host memory and several GPUs": """reduce_part.cuh accumulation.cuh canonical_nodes.hpp canonical_tree.hpp
        host_memory.cuh host_memory_segments.cuh host_memory_scan.cuh host_memory/inputs.hpp host_memory/options.hpp
        ranks.cuh ranks_scan.cuh ranks_axes.cuh ranks/local.cuh ranks/nccl.cuh ranks/mpi.cuh ranks/communicator.cuh
        ranks/options.hpp""",
    "In your own kernels": """warp/reduce.cuh warp/batched_reduce.cuh warp/scan.cuh block/reduce.cuh block/scan.cuh
        host/launch.cuh""",
    "The build, and the sources' strategies": """warpfold.cuh wf.hpp config.hpp standard.hpp int128.hpp version.hpp
        strategies.cuh ../warpfold_strategies/strategy.hpp""",
}
START = "cmake/docs/index.md"
# Pages below which others stand in the site's tree: those that their lists name. The last one takes what is left.
LISTS = ["cmake/docs/tasks.md", "cmake/docs/performance.md", "cmake/docs/more.md"]
TOP = [START, LISTS[0], "include/warpfold/GUARANTEES.md", *LISTS[1:]]  # the tree's first level, in order


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
    return "<code>" + re.sub(r"([\\@#%])", r"\\\1", piece).replace("::", "\\::").replace("|", "&#124;").replace("*", "&#42;") + "</code>"


def escaped(text):
    """Prose of a comment, in which C++ stands without backticks, for Doxygen's Markdown."""
    def escape(piece):
        piece = piece.replace("\\", "\\\\").replace("@", "\\@").replace("<", "\\<").replace(">", "\\>")
        piece = re.sub(r"(?<!^)\*|^\*(?! )", r"\\*", piece)
        piece = re.sub(r"(?<!\w)_", r"\\_", piece)
        return piece.replace("#", "\\#").replace("%", "%%").replace("::", "\\::")
    return "\n".join(outside_code(line, escape) for line in text.split("\n"))


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
    head = re.sub(r"__host__ __device__ |WARPFOLD_JIT |WARPFOLD_EXPORTED |\[\[nodiscard\]\] |inline |__extension__ ", "", head)
    head = re.sub(r"\[\[[^]]*\]\] |__attribute__\(\(\w+\)\) ", "", head)
    head = re.sub(r"const std::type_identity_t<(.*?)>& options", r"const \1& options", head, flags=re.S)
    head = head.replace("warpfold::", "").replace("std::remove_cvref_t", "remove_cvref_t")
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
    body = text[begin:headers.closing(text, begin)]
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
    text = plain(one.text)
    text = re.sub(r"\s*:\s*(public\s+)?(fused_storage|operator_base|arg_extremum|best_k|fused_operator|element_pack).*$", "",
                  text, flags=re.S)
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


def write_reference(source, stage):
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
        sys.exit("pages.py: REFERENCE has no place for, or names what is no public header: " + " ".join(missing))
    for i, (name, group) in enumerate(placed.items()):
        text = reference_of(paths[name], name, group)
        (folder / f"{i + 1:02}_{re.sub('[^a-z0-9]', '_', name)}.hpp").write_text(text)
    return {posixpath.normpath("include/warpfold/" + name): group_id(name) for name in placed}


# ---- pages -----------------------------------------------------------------------------------------------------------


def slug(heading):
    """The anchor that a heading has on the web."""
    heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def page_id(path):
    return "page_" + re.sub(r"\W", "_", re.sub(r"(/README)?\.md$", "", path)).strip("_").lower()


class Pages:
    def __init__(self, source, stage, site, reference):
        self.source, self.stage, self.site, self.reference = source, stage, site, reference
        self.todo, self.made, self.images, self.listed, self.titles = [], set(), set(), set(), {}
        (stage / "pages").mkdir()

    def copy(self, path):
        """A copy of a file, or a list of a folder's files, that a browser shows. Returns its place on the site."""
        place = pathlib.PurePosixPath("source") / (path.strip("/") + ".txt")
        to = self.site / place
        to.parent.mkdir(parents=True, exist_ok=True)
        given = self.source / path
        if given.is_dir():
            to.write_text("".join(sorted(f"{path.strip('/')}/{p.name}\n" for p in given.iterdir())))
        else:
            shutil.copyfile(given, to)
        return place.as_posix()

    def link(self, base, is_image, text, target):
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        target, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(base), target)).lstrip("/") if target else base
        if (self.source / path).is_dir() and (self.source / path / "README.md").exists():
            path += "/README.md"
        if is_image:
            self.images.add(path)
            return f'\n@image html {posixpath.basename(path)} "{text}"\n'
        if path.endswith(".md") and (self.source / path).exists():
            self.add(path)
            name = page_id(path) + ("_" + re.sub(r"\W", "_", anchor) if anchor else "")
            return f"[{text}](@ref {name})"
        if path in self.reference:
            return f"[{text}](@ref {self.reference[path]})"
        if path.startswith("examples/tasks/") and path.endswith(".cu"):
            return f"[{text}](@ref page_task_{pathlib.PurePosixPath(path).stem})"
        if not (self.source / path).exists():
            sys.exit(f"pages.py: {base} links to {path}, which does not exist")
        return f"[{text}]({self.copy(path)})"

    def add(self, path):
        if path not in self.made:
            self.made.add(path)
            self.todo.append(path)

    def page(self, path, text):
        out, fence, titled, labels = [], False, False, []
        for line in text.split("\n"):
            if line.startswith("```"):
                fence = not fence
                out.append(line)
                continue
            include = re.fullmatch(r"<!-- include: (\S+) -->", line)
            if include and not fence:
                out.append(listing(self.source / posixpath.dirname(path) / include.group(1)))
                continue
            if fence or line.startswith("    "):
                out.append(line)
                continue
            heading = re.match(r"(#+) (.*)", line)
            if heading:
                label = page_id(path)
                if titled:
                    label += "_" + re.sub(r"\W", "_", slug(heading.group(2)))
                titled = True
                labels.append(label)
                if labels.count(label) > 1:  # as on the web
                    label += f"_{labels.count(label) - 1}"
                label = "mainpage" if path == START and label == page_id(START) else label
                line = f"{heading.group(1)} {heading.group(2)} {{#{label}}}"
                if path in TOP[:2] and label != "mainpage":  # no places of the tree
                    line = f"<h2>{heading.group(2)}</h2>" if heading.group(1) != "#" else line
            if line.startswith("|"):
                line = line.replace("\\|", "&#124;")
                line = re.sub(r"`[^`]*`", lambda m: "<code>" + html(m.group().strip("`")) + "</code>"
                              if "&#124;" in m.group() else m.group(), line)
            line = outside_code(line, lambda piece: piece)
            line = re.sub(r"(!?)\[([^]]*)\]\(([^) ]+)\)",
                          lambda m: self.link(path, m.group(1) == "!", m.group(2), m.group(3)), line)
            if path in LISTS:
                line = re.sub(r"\[([^]]*)\]\(@ref (page_\w+)\)", self.subpage, line)
            out.append(line)
        self.file(path).write_text("\n".join(out) + "\n")

    def file(self, path):
        """Doxygen lists pages by the names of their files."""
        return self.stage / "pages" / f"{TOP.index(path) if path in TOP else 9}_{page_id(path)}.md"

    def subpage(self, match):
        if match.group(2) in self.listed:
            return match.group()
        self.listed.add(match.group(2))
        return f'@subpage {match.group(2)} "{match.group(1)}"'

    def tasks(self):
        """A page for each program in examples/tasks."""
        for program in sorted((self.source / "examples/tasks").glob("*.cu")):
            text = program.read_text()
            title, _, body = head_comment(text).partition("\n")
            code = text[text.index("#include"):]
            name = "examples/tasks/" + program.name
            output = program.with_suffix(".txt").read_text()
            self.page(f"task/{program.stem}.md", f"# {title}\n{body.strip()}\n\n## The program\n\n```cpp\n{code}```\n\n"
                      f"## What it prints\n\n```\n{output}```\n\nTo build it: `nvcc -std=c++20 -O3 -arch=native -I include "
                      f"-I examples {name}`. In it, [device_array](/examples/common/device.cuh) is an array in device memory.\n")
            self.titles[page_id(f"task/{program.stem}.md")] = title

    def write(self):
        self.tasks()
        for path in TOP:
            self.add(path)
        while self.todo:
            path = self.todo.pop(0)
            text = (self.source / path).read_text()
            self.titles[page_id(path)] = re.search(r"^# (.*)", text, re.M).group(1)
            self.page(path, text)
        tasks = sorted(name for name in self.titles if name.startswith("page_task_") and name not in self.listed)
        if tasks:
            sys.exit(f"pages.py: {LISTS[0]} does not list " + " ".join(tasks))
        rest = [name for name in self.titles if name not in self.listed | {page_id(path) for path in TOP}]
        with open(self.file(LISTS[-1]), "a") as more:
            more.writelines(f'- @subpage {name} "{self.titles[name]}"\n' for name in rest)


def html(text):
    return text.replace("&#124;", "|").replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")


def listing(path):
    language = {".cu": "cpp", ".cuh": "cpp", ".hpp": "cpp", ".py": "py"}.get(path.suffix, "")
    text = re.sub(r"\A(//|#) SPDX[^\n]*\n", "", path.read_text())
    return f"```{language}\n{text}```"


def unlink_parameters(site):
    """Parameters that have the name of a type, as `first` has, are no links to it."""
    link = re.compile(r'((?:[\w&;*] )|&amp;|\*)<a class="el" href="[^"]*">(\w+)</a>(?=[,)]|=|</td>)')
    for page in site.glob("*.html"):
        text = page.read_text()
        lines = [link.sub(r"\1\2", line) if "memItemRight" in line or "memTemplItemRight" in line else line
                 for line in text.split("\n")]
        page.write_text("\n".join(lines))


def main():
    if len(sys.argv) == 2:
        return unlink_parameters(pathlib.Path(sys.argv[1]))
    source, stage, site = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for folder in (stage, site):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    pages = Pages(source, stage, site, write_reference(source, stage))
    pages.write()
    (stage / "images").mkdir()
    for image in pages.images:
        shutil.copyfile(source / image, stage / "images" / posixpath.basename(image))


if __name__ == "__main__":
    main()
